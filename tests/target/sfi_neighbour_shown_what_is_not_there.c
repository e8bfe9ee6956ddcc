// system served-together
// timeout 60
// expect stdout told so by either: 1, and both answer: 42 and 42
/* A component shows its neighbour addresses of its own segment where nothing is, or nothing that may be written: neither it nor the others end for it. */
#include "include/once_there.h"

static word call(const char *name, word a, word b)
{
    int portal = once_there(name);
    word result = invoke_portal(portal, a, b);
    portal_close(portal);
    return result;
}
int main(void)
{
    int right = 1;
    static const char *const which[] = {"first", "second"};
    for (int n = 0; n < 2; n++) {
        char show[64], out[64], pages[64], address[64];
        snprintf(show, sizeof show, "%s.show", which[n]);
        snprintf(out, sizeof out, "%s.show_out", which[n]);
        snprintf(pages, sizeof pages, "%s.show_pages", which[n]);
        snprintf(address, sizeof address, "%s.address", which[n]);
        word own = call(address, 0, 0), base = own & -0x400000;
        /* Behind the heap, in the guard zones, at the ends of the segment, in its code. */
        for (word at = base; at < base + 0x400000; at += 0x8000) {
            word shown = call(show, at, 0), written = call(out, at, 0), summed = call(pages, at, 8 * 4096);
            int told = (shown >= 0 || shown == -EFAULT) && (written >= 0 || written == -EFAULT) && (summed >= 0 || summed == -EFAULT);
            if (!told)
                printf("%s at %lx (%lx): %ld %ld %ld\n", which[n], at, own, shown, written, summed);
            right &= told;
            if (call("first.ask", 40, 2) != 42) {
                printf("%s at %lx: no more\n", which[n], at);
                return 1;
            }
        }
    }
    printf("told so by either: %d, and both answer: %ld and %ld\n", right, call("first.ask", 40, 2), call("second.ask", 40, 2));
    return 0;
}
