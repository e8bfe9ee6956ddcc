// system served-sfi
// timeout 60
// expect stdout its registers: 7, 100 times
// expect stdout what it reads: 1, 0 bytes changed
// expect stdout beside: 100, 100 bytes changed
// expect stdout requests that are the host's: 0
// expect stdout entry points: 1, and those that were there: 7
// expect stdout strange entries: 0 and returned, 0 and ended, 0 and ended, 0 and ended
/* The portals of a fault domain that lies: its callers have what their portals say, or EDEAD. */
#include <pebble.h>

static _Alignas(64) char liar[64] = "liar";
static _Alignas(4096) char pages[2 * 4096];

static int spawn_it(void) { return invoke_portal(portal_open("init.spawn"), liar, (word)strlen(liar)); }
static int opened(const char *name)
{
    int portal;
    for (int n = 0; (portal = portal_open(name)) < 0 && n < 10000; n++)
        hrsleep(50000);
    return portal;
}
static int changed(void)
{
    int count = 0;
    for (size_t n = 0; n < sizeof pages; n++)
        count += pages[n] != '-';
    return count;
}
int main(void)
{
    int asid = spawn_it(), destroy = portal_open("domain.destroy"), registers = opened("lies.registers"), right = 0;
    word last = 0;
    for (int n = 0; n < 100; n++)
        right += (last = invoke_portal(registers)) == 7;
    printf("its registers: %ld, %d times\n", last, right);
    memset(pages, '-', sizeof pages);
    word result = invoke_portal(opened("lies.reads"), pages + 100);
    printf("what it reads: %ld, %d bytes changed\n", result, changed());
    result = invoke_portal(opened("lies.beside"), pages + 4050, 100l);
    printf("beside: %ld, %d bytes changed\n", result, changed());
    printf("requests that are the host's: %ld\n", invoke_portal(opened("lies.requests")));
    word many = invoke_portal(opened("lies.many"));
    printf("entry points: %d, and those that were there: %ld\n", many > 100 && many < 127, invoke_portal(registers));
    printf("strange entries:");
    for (word which = 0; which < 4; which++) {
        /* Each in a life of its own. The jump table's first entry is where a call returns to. */
        invoke_portal(destroy, (word)asid);
        asid = spawn_it();
        word made = invoke_portal(opened("lies.make"), which);
        result = invoke_portal(opened("lies.strange"));
        printf("%s %ld and %s", which ? "," : "", made, result == -EDEAD ? "ended" : "returned");
    }
    printf("\n");
    return 0;
}
