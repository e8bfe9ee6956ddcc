/* Functions of math.h whose results are exact, of numbers of all sizes: what each comes to, as one number, and the first few by name. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}
/* Any double; three of four near those that have both whole digits and a fraction. */
static double any(void)
{
    uint64_t bits = next();
    double value;
    if (bits & 3)
        bits = (bits & 0x800fffffffffffff) | (uint64_t)(1020 + next() % 66) << 52;
    if (!(next() & 7))
        bits &= ~(((uint64_t)1 << next() % 52) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}
static float any_float(void)
{
    uint32_t bits = (uint32_t)next();
    float value;
    if (bits & 3)
        bits = (bits & 0x807fffff) | (uint32_t)(124 + next() % 42) << 23;
    memcpy(&value, &bits, sizeof value);
    return value;
}
enum { ROUNDS = 20000, SHOWN = 4 };
static uint64_t sum;
static int shown;

static void add(uint64_t bits)
{
    sum = (sum ^ bits) * 0x100000001b3 + 1;
}
static void result(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        bits = 0x7ff8000000000000; /* which of those that are no numbers is nobody's business */
    add(bits);
    if (shown++ < SHOWN)
        printf(x == x ? " %a" : " nan", x);
}
static void begin(const char *name)
{
    printf("%s:", name);
    sum = 0;
    shown = 0;
}
static void end(void)
{
    printf(" %016llx\n", (unsigned long long)sum);
}
#define EACH(name, call)                  \
    do {                                  \
        begin(name);                      \
        for (int n = 0; n < ROUNDS; n++) { \
            volatile double x = any(), y = any(), z = any(); \
            (void)x, (void)y, (void)z;    \
            result(call);                 \
        }                                 \
        end();                            \
    } while (0)
#define EACH_FLOAT(name, call)            \
    do {                                  \
        begin(name);                      \
        for (int n = 0; n < ROUNDS; n++) { \
            volatile float x = any_float(), y = any_float(), z = any_float(); \
            (void)x, (void)y, (void)z;    \
            result(call);                 \
        }                                 \
        end();                            \
    } while (0)
#define BOTH(name)                       \
    EACH(#name, name(x));                \
    EACH_FLOAT(#name "f", name##f(x))
#define BOTH_OF_TWO(name)                \
    EACH(#name, name(x, y));             \
    EACH_FLOAT(#name "f", name##f(x, y))

static double parts(double x)
{
    double whole, fraction = modf(x, &whole);
    result(whole);
    return fraction;
}
static float parts_float(float x)
{
    float whole, fraction = modff(x, &whole);
    result(whole);
    return fraction;
}
static double power(double x)
{
    int exponent = 0;
    double fraction = frexp(x, &exponent);
    if (isfinite(x))
        add(exponent);
    return fraction;
}
/* What fits: of others nothing is said. */
static double whole(double x, long (*to)(double))
{
    return fabs(x) < 0x1p62 ? to(x) : 0;
}
static double whole_float(float x, long (*to)(float))
{
    return fabsf(x) < 0x1p62f ? to(x) : 0;
}
/* Through text and back. */
static double text(double x, const char *format)
{
    char digits[64];
    snprintf(digits, sizeof digits, format, x);
    return strtod(digits, NULL);
}

int main(void)
{
    BOTH(ceil);
    BOTH(floor);
    BOTH(trunc);
    BOTH(round);
    BOTH(rint);
    BOTH(nearbyint);
    BOTH(sqrt);
    BOTH(fabs);
    BOTH(logb);
    BOTH_OF_TWO(fmod);
    BOTH_OF_TWO(remainder);
    BOTH_OF_TWO(copysign);
    BOTH_OF_TWO(nextafter);
    BOTH_OF_TWO(fdim);
    EACH("fma", fma(x, y, z));
    EACH_FLOAT("fmaf", fmaf(x, y, z));
    EACH("modf", parts(x));
    EACH_FLOAT("modff", parts_float(x));
    EACH("frexp", power(x));
    EACH("ldexp", ldexp(x, (int)(z < 0 ? -40 : 40)));
    EACH("scalbn", scalbn(x, isfinite(z) ? (int)fmod(z, 1100) : 0));
    EACH("lround", whole(x, lround));
    EACH("lrint", whole(x, lrint));
    EACH_FLOAT("lroundf", whole_float(x, lroundf));
    EACH_FLOAT("lrintf", whole_float(x, lrintf));
    EACH("text", text(x, "%.17g"));
    EACH("short text", text(x, "%.7e"));
    EACH("hexadecimal text", text(x, "%a"));
    EACH_FLOAT("text of a float", strtof("1e-3", NULL) * x);
    return 0;
}
