// expect stdout before it is closed
/* Programs close their standard streams before they end, to learn whether all was written. */
#include <stdio.h>

int main(void)
{
    printf("before it is closed\n");
    return fclose(stdin) || fclose(stdout) || fclose(stderr);
}
