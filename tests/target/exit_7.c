// expect status 7
// expect stdout before
#include <pebble.h>
int main(void)
{
    printf("before\n");
    exit(7);
}
