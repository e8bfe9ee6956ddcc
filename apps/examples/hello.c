/* The smallest component: it runs in its own hardware protection domain. */
#include <pebble.h>

int main(void)
{
    printf("hello from domain %d\n", get_asid());
    return 0;
}
