// expect stdout a name that nobody provides: No such file or directory, an unknown operation: Invalid argument
// expect stdout connections: 3
// expect stdout 2 + 3 = 5
// expect stdout call of this domain with 2, 3, and its result 5
// expect stdout what is pointed to: "some text"
// expect stdout an address that shows nothing: Bad address, and no bytes
// expect stdout too deep: too many nested calls, and the portal said so
// expect stdout the server died: the other side died
// expect stdout opened meanwhile: 9, 2 events
// expect stdout 3000 calls: all right, the oldest are lost
// expect stdout afterwards: 11, no event

/* Portals that are traced do what they did, for who had them open and for who opens them meanwhile; each call and its result is
   written down. */
#include <pebble.h>
#include <string.h>

enum { CALL, RETURN, FAILED, KIND = 3, SHOWN = 0x40 };
struct event {
    unsigned long long time, caller, thread, number, depth, words[6], what;
    char bytes[32];
};
static struct {
    unsigned long long first, count, rest[14];
    struct event events[31];
} page __attribute__((aligned(4096)));
static char name[48] __attribute__((aligned(64)));
static char text[64] __attribute__((aligned(64))) = "xxsome text";
static int control, events;
static unsigned long long next;

static word trace(const char *which, int on)
{
    memset(name, 0, sizeof name);
    strcpy(name, which);
    return invoke_portal(control, name, on);
}
/* Those since it was called last; their number. */
static unsigned long long look(void)
{
    page.count = 0;
    invoke_portal(events, next, &page);
    next = page.first + page.count;
    return page.count;
}
static word add(word a, word b) { return a + b; }
static word length(const char *shown) { return (word)strlen(shown); }
static word deep(word portal) { return invoke_portal(portal, portal); }
static word die(word status)
{
    exit((int)status);
}

static void windows(int portal)
{
    word result = invoke_portal(portal, text + 2);
    look();
    const struct event *call = &page.events[0];
    if (result != 9 || !(call->what & SHOWN))
        printf("%ld, what: %llx\n", result, call->what);
    printf("what is pointed to: \"%s\"\n", call->bytes + call->words[0] % 32);
    result = invoke_portal(portal, 0x30000000);
    look();
    printf("an address that shows nothing: %s, and %s\n", pebble_strerror(result),
           page.events[0].what & SHOWN ? "some bytes" : "no bytes");
}
static void ends(int recursion)
{
    word result = invoke_portal(recursion, recursion);
    int failed = 0;
    while (look())
        for (unsigned n = 0; n < page.count; n++)
            failed += (page.events[n].what & KIND) == FAILED && (word)page.events[n].words[0] == result;
    printf("too deep: %s, and %s\n", pebble_strerror(result), failed == 1 ? "the portal said so" : "nobody did");
    int ready = sem_create(0), never = sem_create(0);
    if (domain_fork(0) == 0) {
        portal_register("app.die", "npi", die, 0, 1);
        sem_post(ready);
        sem_wait(never);
    }
    sem_wait(ready);
    int portal = portal_open("app.die");
    trace("app.die", 1);
    result = invoke_portal(portal, 3);
    printf("the server died: %s\n", pebble_strerror(result));
    look();
}

int main(void)
{
    control = portal_open("inspect.trace");
    events = portal_open("inspect.traced");
    portal_register("app.add", "npii", add, 0, 2);
    portal_register("app.length", "npr", length, 0, 2);
    portal_register("app.deep", "npi", deep, 0, 64);
    int sum = portal_open("app.add"), shown = portal_open("app.length"), recursion = portal_open("app.deep");
    printf("a name that nobody provides: %s, ", pebble_strerror(trace("app.none", 1)));
    printf("an unknown operation: %s\n", pebble_strerror(trace("app.add", 7)));
    printf("connections: %ld\n", trace("app.add", 1) + trace("app.length", 1) + trace("app.deep", 1));

    printf("2 + 3 = %ld\n", invoke_portal(sum, 2, 3));
    look();
    const struct event *call = &page.events[0], *end = &page.events[1];
    int right = page.count == 2 && (call->what & KIND) == CALL && (end->what & KIND) == RETURN &&
                (int)(call->caller & 0xffff) == get_asid() && (int)call->number == sum && call->depth == end->depth;
    if (!right)
        printf("%llu events, %llx %llx of %llx\n", page.count, call->what, end->what, call->caller);
    printf("call of this domain with %llu, %llu, and its result %llu\n", call->words[0], call->words[1], end->words[0]);
    windows(shown);
    ends(recursion);

    int another = portal_open("app.add");
    word result = invoke_portal(another, 4, 5);
    printf("opened meanwhile: %ld, %llu events\n", result, look());
    int wrong = 0;
    for (int n = 0; n < 3000; n++)
        wrong += invoke_portal(sum, n, n) != 2 * n;
    unsigned long long asked = next;
    look();
    printf("3000 calls: %s, %s\n", wrong ? "some wrong" : "all right", page.first > asked ? "the oldest are lost" : "none is lost");
    while (look() == 31)
        ;
    trace("app.add", 0);
    result = invoke_portal(another, 5, 6);
    printf("afterwards: %ld, %s\n", result, look() ? "an event" : "no event");
    return 0;
}
