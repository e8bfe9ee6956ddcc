/* One end of a pair, whatever its isolation: it calls the other, is called by it, and ends in either. Its name is its argument. */
#include <pebble.h>

static word words[8] __attribute__((aligned(64))) = {30, 12};

static word add(word a, word b) { return a + b; }
static word looks(const word *window) { return window[0] + window[1]; }
static word waits(void)
{
    sem_wait(sem_create(0));
    return 0;
}
static word fails(void) { return *(volatile word *)8; }
static word number(void) { return get_asid(); }
/* As the caller: of a portal of the other's that takes two words, and of one that takes a window. */
static word opens(const char *name)
{
    char copy[NAMELEN];
    memcpy(copy, name, sizeof copy);
    return portal_open(copy);
}
static word calls(word portal, word a, word b) { return invoke_portal(portal, a, b); }
static word lends(word portal) { return invoke_portal(portal, words); }
static word closes(word portal) { return portal_close(portal); }

static void provide(const char *own, const char *what, const char *specification, void *entry)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "pair.%s.%s", own, what);
    int done = portal_register(name, specification, entry, NULL, 3);
    if (done < 0)
        exit(printf("%s: %s\n", name, pebble_strerror(done)));
}
int main(int argc, char **argv)
{
    const char *own = argc > 1 ? argv[1] : "";
    provide(own, "add", "npii", add);
    provide(own, "looks", "npr", looks);
    provide(own, "waits", "npii", waits);
    provide(own, "fails", "npii", fails);
    provide(own, "number", "np", number);
    provide(own, "opens", "npr", opens);
    provide(own, "calls", "npiii", calls);
    provide(own, "lends", "npi", lends);
    provide(own, "closes", "npi", closes);
    thread_exit();
}
