/* Numbers without their fractions, in the place of picolibc's, which (as of 1.8, where a word has 64 bits) loses a carry in ceil and floor
   and the digits of what has no fraction in trunc and truncf. */
#include <math.h>

/* From here on a number has no fraction. What is no number is not below it. */
#define WHOLE 0x1p52
#define WHOLE_FLOAT 0x1p23f

double trunc(double x)
{
    return fabs(x) < WHOLE ? copysign((double)(long)x, x) : x + 0;
}
double ceil(double x)
{
    double whole = trunc(x);
    return whole < x ? copysign(whole + 1, x) : whole;
}
double floor(double x)
{
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}
float truncf(float x)
{
    return fabsf(x) < WHOLE_FLOAT ? copysignf((float)(long)x, x) : x + 0;
}
