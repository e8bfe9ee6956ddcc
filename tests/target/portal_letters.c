// expect stdout c=tah: constant 77, number as opened, this thread, this domain, time passes
// expect stdout words 1 2 3 4 5 6
// expect stdout two constants -5 123456789012
#include <pebble.h>
static int number;
static word inserted(word c, word n, word t, word a, word h)
{
    static word last;
    int ok = c == 77 && n == number && t == get_thread() && a == get_asid() && h > last;
    last = h;
    return ok;
}
static word six(word a, word b, word c, word d, word e, word f)
{
    printf("words %ld %ld %ld %ld %ld %ld\n", a, b, c, d, e, f);
    return a + b + c + d + e + f;
}
static word two(word x, word y, word i)
{
    printf("two constants %ld %ld\n", x, y);
    return i;
}
int main(void)
{
    word constant = 77, constants[2] = {-5, 123456789012};
    if (portal_register("app.inserted", "smc=tah", inserted, &constant, 1) != 0)
        return 1;
    number = portal_open("app.inserted");
    if (invoke_portal(number) != 1 || invoke_portal(number) != 1)
        return 2;
    printf("c=tah: constant 77, number as opened, this thread, this domain, time passes\n");
    portal_register("app.six", "npiiiiii", six, 0, 1);
    if (invoke_portal(portal_open("app.six"), 1l, 2l, 3l, 4l, 5l, 6l) != 21)
        return 3;
    portal_register("app.two", "sfcci", two, constants, 0);
    return invoke_portal(portal_open("app.two"), 9l) != 9;
}
