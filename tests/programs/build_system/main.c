/* A program with a library, and what CMake found out of the C library. */
#include <stdio.h>

int three(void);
int main(void)
{
    printf("%d: strtol %d, strtolb %d\n", three(), STRTOL, STRTOLB);
    return 0;
}
