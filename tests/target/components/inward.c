/* A domain of protection that calls its task, and looks whether it sees afterwards what is the task's. */
#include <pebble.h>

static int portals[8];
static char names[8][NAMELEN];

/* A portal of the task, opened once. */
static int to(const char *name)
{
    for (int n = 0; n < 8; n++) {
        if (names[n][0] == 0) {
            strcpy(names[n], name);
            portals[n] = portal_open(name);
        }
        if (strcmp(names[n], name) == 0)
            return portals[n];
    }
    return -ENFILE;
}
/* What is touched before each call: pages that the task has shown. */
static volatile word *warm;
static word warm_pages;
static word warms(volatile word *at, word count)
{
    warm = at;
    warm_pages = count;
    return 0;
}
/* Calls procedure `which` of the task's `count` times with `count` and `argument`; the sum. */
static word calls(word which, word count, word argument)
{
    static const char *const all[] = {"app.max", "app.touches", "app.inward", "app.waits"};
    if ((unsigned long)which > 3 || count > 100000)
        return -EINVAL; /* of a hostile caller */
    int portal = to(all[which]);
    word sum = 0;
    if (portal < 0)
        return portal;
    for (word n = 0; n < count; n++) {
        for (word page = 0; page < warm_pages; page++)
            sum += warm[512 * page];
        word result = invoke_portal(portal, n, argument);
        if (result < 0)
            return result;
        sum += result;
    }
    return sum;
}
/* The time that so many calls of `which` take, in ticks. */
static word ticks(word which, word count, word argument)
{
    unsigned long before = hrtime();
    word result = calls(which, count, argument);
    return result < 0 ? result : (word)(hrtime() - before);
}
/* Reads what is the task's, after a call in which the task has: ends this domain. */
static word peeks(volatile word *address)
{
    calls(1, 12, (word)address);
    return *address;
}
/* The same in another thread, while the first one is in the task. */
static volatile word inside, looked;
static void looks(void *address)
{
    while (!inside)
        yield();
    looked = *(volatile word *)address;
}
static word peeks_meanwhile(word address)
{
    calls(3, 12, address);
    inside = 0;
    thread_create(looks, (void *)address, -1);
    return invoke_portal(to("app.waits"), &inside, address);
}
int main(int argc, char **argv)
{
    char name[NAMELEN];
    const struct { const char *name, *spec; word (*entry)(); } all[] = {
        {"calls", "npiii", (word (*)())calls}, {"ticks", "npiii", (word (*)())ticks},
        {"warms", "npii", (word (*)())warms}, {"peeks", "npi", (word (*)())peeks}, {"meanwhile", "npi", (word (*)())peeks_meanwhile},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        snprintf(name, sizeof name, "app.%s.%s", argc > 1 ? argv[1] : "inward", all[n].name);
        int result = portal_register(name, all[n].spec, all[n].entry, NULL, n == 0 ? 8 : 0);
        if (result < 0)
            return printf("%s: %s\n", name, pebble_strerror(result));
    }
    thread_exit();
}
