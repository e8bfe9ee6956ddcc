// expect stdout a domain destroyed with threads of three others in it: all three have EDEAD, and live
// expect stdout a domain that faults with threads of three others in it: all three have EDEAD, and live
// expect stdout a page made invisible that another's call uses: that domain ends, and the caller's has EDEAD
// expect stdout a page made invisible that a call has lent on: EBUSY, and visible
// expect stdout stacks used up by a domain's own calls: the next waits
// expect stdout 200 domains that call each other in a ring leave nothing
// timeout 60
/* What happens to domains of protection by what others do to those they call. */
#include <pebble.h>

static _Alignas(4096) word page[512];

/* The module. */
static word calls(word portal, word procedure, word a, word b) { return invoke_portal(portal, procedure, 0l, a, b); }
static word waits(word post, word wait)
{
    invoke_portal(post);
    return invoke_portal(wait, -1l);
}
/* Waits for a word of the page to change. */
static word uses(volatile word *at, word post)
{
    invoke_portal(post);
    while (at[0] == 0)
        ;
    return at[1];
}
static word lends(word portal, const word *at) { return invoke_portal(portal, at); }
static word faults(volatile word *at) { return *at; }
/* A call of a call of a call: `portals` has the way. */
static word deeper(const int *portals, word depth)
{
    return depth ? 1 + invoke_portal(portals[depth - 1], 5l, 0l, portals, depth - 1) : 0;
}
DP_MODULE(module, calls, waits, uses, lends, faults, deeper)
enum { CALLS, WAITS, USES, LENDS, FAULTS, DEEPER };

static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted) > 0);
}
static int sems[2]; /* it is there; it may go on */
static int fresh(int stacks)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, stacks))
        exit(printf("FAILED: a part: %d\n", dp) > 0);
    for (int n = 0; n < 4; n++)
        expect("passing", dp_pass_port_right(dp, sems[n / 2] + n % 2), 0);
    return dp;
}
/* `from` may call `to`. */
static int joined(int from, int to)
{
    int portal = dp_connect(to, module);
    int passed = portal < 0 ? portal : dp_pass_port_right(from, portal);
    expect("connecting", passed == -EEXIST ? 0 : passed, 0);
    return portal;
}
static int others[3], through, threads[3];
static word results[3];
static void enters(void *n)
{
    results[(word)n] = dp_call(others[(word)n], module, CALLS, 0, through, WAITS, sems[0] + 1, sems[1]);
}
/* Three domains, a thread of each in a fourth. */
static int all_in(int stacks)
{
    int dp = fresh(stacks);
    for (word n = 0; n < 3; n++) {
        others[n] = fresh(1), through = joined(others[n], dp);
        threads[n] = thread_create(enters, (void *)n, -1);
        if (n < stacks)
            sem_wait(sems[0]);
    }
    return dp;
}
static void all_out(word wanted)
{
    for (int n = 0; n < 3; n++) {
        thread_join(threads[n]);
        expect("a call", results[n], wanted);
    }
}
static void all_live(void)
{
    for (int n = 0; n < 3; n++) {
        expect("one that called", dp_call(others[n], module, DEEPER, 0, NULL, 0), 0);
        expect("its end", dp_destroy(others[n]), 0);
    }
}
static void ends(void)
{
    expect("destroying", dp_destroy(all_in(3)), 0);
    all_out(-EDEAD), all_live();
    puts("a domain destroyed with threads of three others in it: all three have EDEAD, and live");
    int dp = all_in(4);
    expect("faulting", dp_call(dp, module, FAULTS, 0, &page), -EDEAD);
    all_out(-EDEAD), all_live();
    expect("its handle", dp_destroy(dp), 0);
    puts("a domain that faults with threads of three others in it: all three have EDEAD, and live");
}
static word used;
static void uses_it(void *unused)
{
    (void)unused;
    used = dp_call(others[0], module, CALLS, 0, through, USES, page, sems[0] + 1);
}
static void invisible(void)
{
    int dp = fresh(1);
    others[0] = fresh(1), through = joined(others[0], dp);
    expect("showing", dp_make_visible(dp, page, sizeof page, PAGE_READ), 0);
    int thread = thread_create(uses_it, NULL, -1);
    sem_wait(sems[0]);
    expect("hiding", dp_make_invisible(dp, page, sizeof page), 0);
    thread_join(thread);
    expect("its call", used, -EDEAD);
    expect("the domain", dp_number(dp), -EDEAD);
    expect("who called", dp_call(others[0], module, DEEPER, 0, NULL, 0), 0);
    expect("ends", dp_destroy(dp) | dp_destroy(others[0]), 0);
    puts("a page made invisible that another's call uses: that domain ends, and the caller's has EDEAD");
}
/* A window's server, which keeps it open until it is told. */
static word looks(const word *window)
{
    sem_post(sems[0]), sem_wait(sems[1]);
    return window[3];
}
static int server;
static void lends_it(void *unused)
{
    (void)unused;
    used = dp_call(others[0], module, LENDS, 0, server, page);
}
static void lent(void)
{
    int served = sem_create(0), child = domain_fork(0);
    if (child == 0) {
        portal_register("app.looks", "npr", looks, NULL, 1);
        sem_post(served);
        thread_exit();
    }
    sem_wait(served);
    server = portal_open("app.looks"), others[0] = fresh(1), page[3] = 77;
    expect("passing", dp_pass_port_right(others[0], server), 0);
    expect("showing", dp_make_visible(others[0], page, sizeof page, PAGE_READ), 0);
    int thread = thread_create(lends_it, NULL, -1);
    sem_wait(sems[0]);
    expect("hiding", dp_make_invisible(others[0], page, sizeof page), -EBUSY);
    sem_post(sems[1]);
    thread_join(thread);
    expect("its call", used, 77);
    expect("reading", dp_call(others[0], module, FAULTS, 0, page + 3), 77);
    expect("hiding", dp_make_invisible(others[0], page, sizeof page) | dp_destroy(others[0]), 0);
    domain_kill(child), domain_wait(child, NULL);
    puts("a page made invisible that a call has lent on: EBUSY, and visible");
}
static void used_up(void)
{
    int dp = all_in(2);
    expect("a third", sem_timedwait(sems[0], 300000), -ETIMEDOUT);
    for (int n = 0; n < 2; n++)
        sem_post(sems[1]);
    sem_wait(sems[0]), sem_post(sems[1]);
    all_out(0), all_live();
    expect("its end", dp_destroy(dp), 0);
    puts("stacks used up by a domain's own calls: the next waits");
}
static struct { uint64_t counts[15]; } __attribute__((aligned(128))) counted;
static uint64_t domains(int portal)
{
    expect("counts", invoke_portal(portal, &counted), 0);
    return counted.counts[0] + counted.counts[1] + counted.counts[2];
}
/* Rings of four, of which each can call the next: who has names for each other keeps each other until one is destroyed. */
static void rings(int portal)
{
    enum { RING = 4 };
    uint64_t before = domains(portal);
    for (int round = 0; round < 50; round++) {
        int ring[RING], *portals = (int *)page;
        for (int n = 0; n < RING; n++) {
            ring[n] = fresh(2);
            expect("showing", dp_make_visible(ring[n], page, sizeof page, PAGE_READ), 0);
        }
        for (int n = 0; n < RING; n++)
            portals[n] = joined(ring[(n + 1) % RING], ring[n]);
        expect("round it", dp_call(ring[0], module, DEEPER, 0, portals, RING), RING);
        for (int n = 0; n < RING; n++)
            expect("ends", dp_destroy(ring[(n + round) % RING]), 0);
    }
    expect("domains", (word)domains(portal), (word)before);
    puts("200 domains that call each other in a ring leave nothing");
}
int main(void)
{
    sems[0] = sem_create(0), sems[1] = sem_create(0);
    ends(), invisible(), lent(), used_up();
    rings(portal_open("inspect.counts"));
    return 0;
}
