// expect stdout -2
#include <pebble.h>
int main(void)
{
    printf("%d\n", portal_open("app.nobody"));
    return 0;
}
