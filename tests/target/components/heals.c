/*
 * A server whose calls may be made again, of which there are several: its portals are called by its name. It faults when it is asked to.
 */
#include <pebble.h>
#include <stdio.h>

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
static word hold(void) { return sem_wait(sem_create(0)); }
static word give(char *pages, word bytes)
{
    word first = pages[0];
    return page_unmap(get_asid(), pages) || bytes != 4096 ? -1 : first;
}
static word who(void) { return get_asid(); }
static word fault(void) { return *(volatile int *)8; }

int main(int argc, char **argv)
{
    static char name[8][NAMELEN] __attribute__((aligned(8 * NAMELEN)));
    static const char *const what[] = {"add", "digest", "fill", "later", "who", "fault", "hold", "give"};
    for (int n = 0; n < 8; n++)
        snprintf(name[n], NAMELEN, "%s.%s", argv[0], what[n]);
    portal_register(name[0], "npii", add, 0, 4);
    portal_register(name[1], "npRi", digest, 0, 0);
    portal_register(name[2], "npWii", fill, 0, 0);
    portal_register(name[3], "npi", later, 0, 0);
    portal_register(name[4], "np", who, 0, 0);
    portal_register(name[5], "np", fault, 0, 0);
    portal_register(name[6], "np", hold, 0, 0);
    portal_register(name[7], "np>i", give, 0, 0);
    thread_exit();
}
