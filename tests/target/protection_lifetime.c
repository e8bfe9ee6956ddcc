// expect stdout without a name it is gone
// expect stdout a handle of another keeps it
// expect stdout a connection keeps it
// expect stdout its own thread keeps it
// expect stdout who is in it returns
// expect stdout 300 times leave nothing
/* How long a domain of protection lives. */
#include <pebble.h>

enum { SYS_CREATE = 3, SYS_STACK = 25 };
static _Alignas(4096) word shared[512];
static struct {
    uint64_t domains, zombies, ended, rest[13];
} counts __attribute__((aligned(128)));
static int inspect, done;

static word adds(word n) { return n + 1; }
static word waits(word p, word v)
{
    invoke_portal(v);
    return invoke_portal(p, -1l);
}
static void lives(word *until)
{
    while (*(volatile word *)until == 0)
        invoke_portal(4);
    *(volatile word *)until = 2;
    invoke_portal(2);
}
static word threads(word create, word until)
{
    word stack = invoke_portal(SYS_STACK, 4096l);
    return stack < 0 ? stack : invoke_portal(create, lives, stack, until, -1l);
}
DP_MODULE(module, adds, waits, threads)
enum { ADDS, WAITS, THREADS };

static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted));
}
static word domains(void)
{
    expect("counts", invoke_portal(inspect, &counts), 0);
    return counts.domains + counts.zombies + counts.ended;
}
static int fresh(void)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 2))
        exit(printf("FAILED: %s\n", pebble_strerror(dp)));
    return dp;
}
static int in, sem, entered;
static void caller(void *unused)
{
    (void)unused;
    expect("the call", dp_call(in, module, WAITS, 0, sem, entered + 1), -EDEAD);
    sem_post(done);
}
int main(void)
{
    inspect = portal_open("inspect.counts");
    done = sem_create(0);
    fresh();
    word before = domains();
    int dp = fresh();
    expect("one more", domains(), before + 1);
    expect("closing", dp_close(dp), 0);
    expect("its end", domains(), before);
    puts("without a name it is gone");

    int other = fresh();
    dp = fresh();
    expect("passing", dp_pass_port_right(other, dp), 0);
    expect("closing", dp_close(dp), 0);
    expect("two more", domains(), before + 2);
    expect("destroying", dp_destroy(other), 0);
    expect("both ends", domains(), before);
    puts("a handle of another keeps it");

    dp = fresh();
    int portal = dp_connect(dp, module);
    expect("closing", portal_close(dp), 0);
    expect("a call", invoke_portal(portal, ADDS, 0l, 41l), 42);
    expect("closing", portal_close(portal), 0);
    expect("its end", domains(), before);
    memset(__pebble_connections, 0, sizeof __pebble_connections);
    puts("a connection keeps it");

    dp = fresh();
    expect("showing", dp_make_visible(dp, shared, sizeof shared, PAGE_READ | PAGE_WRITE), 0);
    int thread = dp_call(dp, module, THREADS, 0, SYS_CREATE, shared);
    if (thread <= 0)
        expect("its thread", thread, 1);
    expect("closing", dp_close(dp), 0);
    expect("one more", domains(), before + 1);
    *(volatile word *)shared = 1;
    for (int n = 0; n < 200000 && domains() != before; n++)
        hrsleep(100000);
    expect("its end", domains(), before);
    expect("its thread went on", shared[0], 2);
    puts("its own thread keeps it");

    in = dp = fresh();
    sem = sem_create(0), entered = sem_create(0);
    for (int n = 0; n < 2; n++) {
        expect("passing", dp_pass_port_right(dp, sem + n), 0);
        expect("passing", dp_pass_port_right(dp, entered + n), 0);
    }
    thread_create(caller, NULL, -1);
    sem_wait(entered);
    expect("closing", dp_close(dp), 0);
    sem_wait(done);
    expect("its end", domains(), before);
    puts("who is in it returns");

    /* What all of it leaves is as much as before. */
    for (int n = 0; n < 300; n++) {
        dp = fresh();
        expect("a call", dp_call(dp, module, ADDS, 0, n), n + 1);
        expect("closing", dp_close(dp), 0);
    }
    expect("300 times", domains(), before);
    puts("300 times leave nothing");
    return 0;
}
