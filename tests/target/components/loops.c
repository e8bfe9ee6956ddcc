/* Says so, and loops for ever. */
#include <stdio.h>

int main(void)
{
    printf("looping\n");
    for (volatile unsigned long n = 0;; n++)
        ;
}
