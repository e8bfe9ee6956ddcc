/* Prints for a while; sessions type meanwhile. */
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 30000; i++)
        printf("line %d\n", i);
    printf("all lines\n");
    return 0;
}
