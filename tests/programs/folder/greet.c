/* A part of the program, with a macro that component.toml defines. */
#include "greeting.h"
#include <math.h>
#include <stdio.h>

void greet(const char *whom)
{
    volatile double two = 2;
    printf("%s, %s: %.3f\n", GREETING, whom, sqrt(two));
}
