// system exec-devices
// expect stdout refused
/* Looking through all tables keeps interrupts off for long: only systems for tests do. */
#include <pebble.h>
int main(void)
{
    static struct {
        _Alignas(128) char what[48];
        unsigned long at, number, value;
    } found;
    int check = portal_open("inspect.check");
    printf("%s\n", check > 0 && invoke_portal(check, &found) == -ENOTSUP ? "refused" : "looked");
    return 0;
}
