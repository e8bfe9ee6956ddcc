// system parts
// timeout 60
// expect stdout loaded by another component: 1000 + 55 = 1055
// expect stdout its code is the loader's, which sees nothing here: -202, and is there again
// expect stdout what was shown: 7, and what was not: -202
// expect stdout the same for one in whose name nothing may be shown: -14, and its own memory is there: 1000
// expect stdout more rights than there are: -204; a page of the task's: -14; one that was touched: -11; to be written and executed: -22
// expect stdout more than was delegated: domains -23, memory -12, stacks -12
// expect stdout the loader's connection: -204; a portal of the task's passed: 0, and used: 0
// expect stdout for somebody else: -204; no delegation: -9; outside of a call: -22
// expect stdout withdrawn in a call of the module's: the call goes on: 0, and the loader has nothing: -9 -9 -9
// expect stdout withdrawn without a name for it: its call has -202
// expect stdout the loader killed in a call: -202, and what it gave goes on: 1055
// expect stdout the loader's end ends what only it had a name for: -202
// expect stdout a client that ends in its call: the loader goes on, and has nothing: -9
// expect stdout loaded and ended 200 times: nothing is left
/* Domains of protection that a component makes in the task of another one, which has delegated that to it: what it may, and what happens to all
   when one side ends or changes its mind. */
#include <pebble.h>

enum { PAGE = 4096, SUM = 0, READ, WRITE, POST_AND_WAIT };
static _Alignas(PAGE) word page[512], other[512];
static word secret[512] __attribute__((aligned(PAGE)));

static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted) > 0);
}
/* Until the loader is there again. */
static int asked(const char *what)
{
    char name[NAMELEN];
    int portal;
    snprintf(name, sizeof name, "app.loader.%s", what);
    for (int n = 0; (portal = portal_open(name)) < 0 && n < 1000; n++)
        hrsleep(500000);
    if (portal < 0)
        exit(printf("FAILED: %s: %d\n", name, portal) > 0);
    return portal;
}
#define ask(what, ...)                                              \
    ({                                                              \
        int asked_ = asked(what);                                   \
        word answer_ = invoke_portal(asked_, ##__VA_ARGS__);        \
        portal_close(asked_);                                       \
        answer_;                                                    \
    })
struct loaded {
    int portal, delegation, dp;
    dp_entry *entry;
};
/* A module, in the name of `dp`, or of this domain. */
static struct loaded load(int dp, int domains, size_t bytes, int given)
{
    struct loaded l = {.portal = asked("load")};
    l.delegation = dp_delegate(dp, l.portal, domains, bytes);
    if (l.delegation < 0)
        exit(printf("FAILED: delegating: %d\n", l.delegation) > 0);
    word entry = invoke_portal(l.portal, (word)l.delegation, 1l);
    if (entry < 0)
        exit(printf("FAILED: loading: %ld\n", entry) > 0);
    l.entry = (dp_entry *)entry;
    if (given)
        l.dp = ask("give");
    return l;
}
static void unload(struct loaded l)
{
    expect("withdrawing", dp_destroy(l.delegation), 0);
    expect("destroying", dp_destroy(l.dp), 0);
    portal_close(l.portal);
}
static word sum(struct loaded l) { return dp_call(l.dp, l.entry, SUM, 0, page, 11); }
static const size_t ENOUGH = 64 * PAGE;

static void loads(void)
{
    struct loaded l = load(0, 1, ENOUGH, 1);
    expect("a page", ask("show", (word)page, (word)sizeof page, (word)PAGE_READ), 0);
    printf("loaded by another component: 1000 + 55 = %ld\n", sum(l));
    word own = ask("own_copy");
    printf("its code is the loader's, which sees nothing here: %ld, and is there again\n", own);
    portal_close(asked("give"));
    unload(l);
    l = load(0, 1, ENOUGH, 1);
    expect("a page", ask("show", (word)page, (word)sizeof page, (word)PAGE_READ), 0);
    page[20] = 7;
    word shown = dp_call(l.dp, l.entry, READ, 0, page + 20), hidden = dp_call(l.dp, l.entry, READ, 0, secret);
    printf("what was shown: %ld, and what was not: %ld\n", shown, hidden);
    unload(l);
    /* In the name of one that sees nothing. */
    int none = dp_create("blind");
    l = load(none, 1, ENOUGH, 0);
    word refused = ask("show", (word)page, (word)sizeof page, (word)PAGE_READ);
    expect("its handle", ask("give") > 0, 1);
    expect("showing it by this domain, which has no handle", dp_make_visible(none, page, sizeof page, PAGE_READ), 0);
    expect("what that one sees now", ask("show", (word)page, (word)sizeof page, (word)PAGE_READ), 0);
    expect("and no more", ask("show", (word)page, (word)sizeof page, (word)(PAGE_READ | PAGE_WRITE)), -EACCESS);
    int through = dp_connect(none, l.entry);
    expect("an entry point that it has not", through, -ENOENT);
    printf("the same for one in whose name nothing may be shown: %ld, and its own memory is there: %ld\n", refused, *(word *)((char *)l.entry + PAGE));
    expect("withdrawing", dp_destroy(l.delegation), 0);
    expect("destroying", dp_destroy(none), 0);
}
static void no_more_rights(void)
{
    extern char __text_start[];
    struct loaded l = load(0, 1, ENOUGH, 1);
    word all = PAGE_READ | PAGE_WRITE | PAGE_EXECUTE, spare = (word)l.entry + 2 * PAGE;
    word code = ask("show", (word)__text_start & -PAGE, (word)PAGE, (word)(PAGE_READ | PAGE_WRITE));
    word mine = ask("put", (word)other, (word)PAGE_READ), again = ask("put", (word)l.entry, (word)PAGE_READ);
    printf("more rights than there are: %ld; a page of the task's: %ld; one that was touched: %ld; to be written and executed: %ld\n", code, mine, again,
           ask("put", spare, all));
    word domains = ask("more"), memory = ask("take", (word)ENOUGH);
    unload(l);
    l = load(0, 1, ENOUGH, 1);
    word stacks = dp_register(l.dp, (dp_entry *)((char *)l.entry + 8), 1, 0);
    expect("who is no delegate registers as before", stacks, 0);
    unload(l);
    struct loaded small = {.portal = asked("load")};
    small.delegation = dp_delegate(0, small.portal, 1, 3 * PAGE);
    stacks = invoke_portal(small.portal, (word)small.delegation, 1l);
    printf("more than was delegated: domains %ld, memory %ld, stacks %ld\n", domains, memory, stacks);
    expect("withdrawing", dp_destroy(small.delegation), 0);
}
static int sems[2];
static struct loaded called;
static word result;
static void waits_inside(void *unused)
{
    (void)unused;
    result = dp_call(called.dp, called.entry, POST_AND_WAIT, 0, sems[0] + 1, sems[1]);
}
/* A thread is in the module when it returns. */
static int inside(int given)
{
    called = load(0, 1, ENOUGH, given);
    for (int n = 0; n < 2; n++)
        expect("passing", ask("pass", (word)(sems[n] + 1 - n)), 0);
    if (!given) {
        /* A name for the time of the call: the connection goes when its domain's last handle does not keep it. */
        called.dp = ask("give");
        dp_connect(called.dp, called.entry);
    }
    int thread = thread_create(waits_inside, NULL, -1);
    sem_wait(sems[0]);
    return thread;
}
static void withdrawn(void)
{
    struct loaded l = load(0, 1, ENOUGH, 1);
    word connected = ask("connect"), passed = ask("pass", (word)(sems[0] + 1));
    expect("passing the other", ask("pass", (word)sems[1]), 0);
    sem_post(sems[1]);
    word used = dp_call(l.dp, l.entry, POST_AND_WAIT, 0, sems[0] + 1, sems[1]);
    sem_wait(sems[0]);
    printf("the loader's connection: %ld; a portal of the task's passed: %ld, and used: %ld\n", connected, passed, used);
    word for_loader = dp_delegate(0, l.portal, 1, PAGE), for_guest = dp_delegate(0, portal_open("app.guest.number"), 1, PAGE);
    expect("for one of this task", dp_delegate(0, portal_open("app.part.number"), 1, PAGE), -EINVAL);
    word somebody = ask("accept", for_guest);
    printf("for somebody else: %ld; no delegation: %ld; outside of a call: %d\n", somebody, ask("accept", (word)l.portal), dp_accept(for_loader));
    expect("withdrawing", dp_destroy(for_loader) | dp_destroy(for_guest), 0);
    unload(l);
    int thread = inside(1);
    expect("withdrawing", dp_destroy(called.delegation), 0);
    word nothing[3] = {ask("show", (word)page, (word)PAGE, (word)PAGE_READ), ask("more"), ask("give")};
    sem_post(sems[1]);
    thread_join(thread);
    printf("withdrawn in a call of the module's: the call goes on: %ld, and the loader has nothing: %ld %ld %ld\n", result, nothing[0], nothing[1], nothing[2]);
    expect("destroying", dp_destroy(called.dp), 0);
    thread = inside(0);
    expect("giving up its name", dp_close(called.dp), 0);
    expect("withdrawing", dp_destroy(called.delegation), 0);
    thread_join(thread);
    printf("withdrawn without a name for it: its call has %ld\n", result);
}
static void kills_it(void *asid)
{
    /* However late the one comes that waits in it. */
    while (ask("is_waiting") == 0)
        hrsleep(100000);
    invoke_portal(portal_open("app.loader.fails"));
    (void)asid;
}
static void loader_ends(void)
{
    struct loaded l = load(0, 1, ENOUGH, 1);
    expect("a page", ask("show", (word)page, (word)sizeof page, (word)PAGE_READ), 0);
    int thread = thread_create(kills_it, NULL, -1);
    word killed = ask("waits");
    thread_join(thread);
    printf("the loader killed in a call: %ld, and what it gave goes on: %ld\n", killed, sum(l));
    unload(l);
    l = load(0, 1, ENOUGH, 0);
    expect("its end", ask("fails"), -EDEAD);
    word gone = dp_open("module");
    expect("no component", gone, -ENOENT);
    printf("the loader's end ends what only it had a name for: %ld\n", invoke_portal(l.portal, 1l, 1l));
    expect("withdrawing what nobody can accept any more", dp_destroy(l.delegation), 0);
    portal_close(l.portal);
}
static void client_ends(void)
{
    int child = domain_fork(0);
    if (child == 0) {
        load(0, 1, ENOUGH, 1);
        ask("waits");
        _Exit(0);
    }
    hrsleep(20000000);
    domain_kill(child);
    domain_wait(child, NULL);
    printf("a client that ends in its call: the loader goes on, and has nothing: %ld\n", ask("show", (word)page, (word)PAGE, (word)PAGE_READ));
}
static struct { uint64_t counts[15]; } __attribute__((aligned(128))) before, after;
static void leaves_nothing(void)
{
    int counts = portal_open("inspect.counts");
    for (int round = 0; round < 201; round++) {
        struct loaded l = load(0, 2, ENOUGH, round % 3);
        if (round % 3)
            unload(l);
        else
            expect("withdrawing", dp_destroy(l.delegation), 0), portal_close(l.portal);
        if (round == 0)
            expect("counts", invoke_portal(counts, &before), 0);
    }
    expect("counts", invoke_portal(counts, &after), 0);
    for (int n = 0; n < 15; n++)
        if (before.counts[n] != after.counts[n])
            printf("count %d: %lu, not %lu\n", n, after.counts[n], before.counts[n]);
    puts("loaded and ended 200 times: nothing is left");
}
int main(void)
{
    for (int n = 1; n <= 10; n++)
        page[n] = n;
    for (int n = 0; n < 2; n++)
        sems[n] = sem_create(0);
    loads();
    no_more_rights();
    withdrawn();
    loader_ends();
    client_ends();
    leaves_nothing();
    return 0;
}
