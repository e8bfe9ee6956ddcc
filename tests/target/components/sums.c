/*
 * A server without state, which system "replacing" has succeeded by others of the same program; its argument says what is wrong with one.
 */
#include <pebble.h>

static word add(word a, word b) { return a + b; }
static word digest(const unsigned char *bytes, word count)
{
    word all = 1;
    for (word n = 0; n < count; n++)
        all = all * 31 + bytes[n];
    return all;
}
static word fill(char *bytes, word count, word with)
{
    memset(bytes, with, count);
    return count;
}
static word later(word ticks)
{
    hrsleep(ticks);
    return get_asid();
}
static word who(void) { return get_asid(); }
static word fault(void) { return *(volatile int *)8; }

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[argc - 1] : "";
    if (!strcmp(way, "slow"))
        hrsleep(50 * 500000);
    if (!strcmp(way, "failing"))
        fault();
    portal_register("sums.add", strcmp(way, "other") ? "npii" : "npi", add, 0, 4);
    portal_register("sums.digest", "npRi", digest, 0, 0);
    portal_register("sums.fill", "npWii", fill, 0, 0);
    portal_register("sums.later", "npi", later, 0, 0);
    portal_register("sums.fault", "np", fault, 0, 0);
    if (strcmp(way, "lacking"))
        portal_register("sums.who", "np", who, 0, 0);
    thread_exit();
}
