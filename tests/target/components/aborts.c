/* Gives up. */
#include <stdlib.h>

int main(void)
{
    abort();
}
