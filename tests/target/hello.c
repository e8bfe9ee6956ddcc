// expect stdout hello, world
#include <pebble.h>
int main(void)
{
    printf("hello, world\n");
    return 0;
}
