// expect stdout smiiz: specification: unknown argument letter at position 4
// expect stdout xm: specification: unknown stack letter at position 0
// expect stdout s: specification: stack or state letter missing at position 1
// expect stdout smiiiiiii: specification: too many arguments at position 8
// expect stdout jm: specification: letter for boot components only at position 0
// expect stdout smWc: specification: length missing at position 3
// expect stdout position 4
#include <pebble.h>
static word entry(void)
{
    return 0;
}
int main(void)
{
    const char *wrong[] = {"smiiz", "xm", "s", "smiiiiiii", "jm", "smWc"};
    for (int i = 0; i < 6; i++)
        printf("%s: %s\n", wrong[i], pebble_strerror(portal_register("app.x", wrong[i], entry, 0, 1)));
    printf("position %d\n", ESPEC_POSITION(portal_register("app.x", "smiiz", entry, 0, 1)));
    return portal_open("app.x") != -ENOENT;
}
