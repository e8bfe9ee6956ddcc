// system handed
// icount
// timeout 240
// expect stdout each that could not take its place has left it
// expect stdout no call was lost or answered wrongly
// expect stdout nobody waits for whoever loops
#include <pebble.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* A server that has a device is replaced by others of the same device, one after the other, while two threads call it all the time and a third is in a call of it; and by such that can not take its place, after which it serves as before. */
enum { THREADS = 2, ROUNDS = 60, HIGHEST = 62, HIGH = 30, MIDDLE = 15, LOW = 5 };
/* Under -icount, a tick of hrtime is two instructions: more ticks than a call takes that does not wait, and instructions that none takes. */
enum { SHORT = 5000, LONGEST = 400000 };

static int add, digest, fill, who, later, check;
static volatile int over;
static volatile unsigned long calls[THREADS];
static volatile unsigned long long longest, waited;

static void fail(const char *what, long got)
{
    printf("%s: %ld\n", what, got);
    exit(1);
}
/* Calls with answers that no other call has. None fails, whatever is replaced. */
static void client(void *argument)
{
    static _Alignas(4096) char bytes[THREADS][8192];
    int own = (int)(word)argument;
    while (!over) {
        unsigned long n = calls[own] * THREADS + own;
        char *at = bytes[own] + n % 64;
        word all = 1, got;
        if ((got = invoke_portal(add, n, 7 * n)) != (word)(8 * n))
            fail("a sum", got);
        if ((got = invoke_portal(fill, at, 5000l, n % 251)) != 5000)
            fail("a window that is written", got);
        for (int k = 0; k < 5000; k++) {
            if ((unsigned char)at[k] != n % 251)
                fail("a byte", at[k]);
            all = all * 31 + n % 251;
        }
        if ((got = invoke_portal(digest, at, 5000l)) != all)
            fail("a window that is read", got);
        calls[own]++;
        hrsleep(500000);
    }
}
/* Calls all the time, and looks how long its longest call takes. */
static void caller(void *unused)
{
    (void)unused;
    while (!over) {
        unsigned long long begun = hrtime();
        word sum = invoke_portal(add, 40l, 2l);
        unsigned long long took = hrtime() - begun;
        if (sum != 42)
            fail("a sum", sum);
        if (took > longest)
            longest = took;
        waited += took > SHORT;
        hrsleep(2500);
    }
}
/* In a call of the server for longer than that waits. */
static void stayer(void *result)
{
    *(volatile word *)result = invoke_portal(later, 2000000000l);
}
/* Runs whenever nobody above it does. */
static void loops(void *unused)
{
    (void)unused;
    while (!over) {
        for (unsigned long long end = hrtime() + 5000000; hrtime() < end && !over;)
            ;
        hrsleep(500000);
    }
}
static int threads[THREADS];
static void begins(void)
{
    over = 0;
    for (int n = 0; n < THREADS; n++)
        threads[n] = thread_create(client, (void *)(word)n, HIGH);
}
static void ends(void)
{
    over = 1;
    for (int n = 0; n < THREADS; n++)
        thread_join(threads[n]);
    if (!calls[0] || !calls[1])
        fail("calls", calls[0]);
}
static void replaced(const char *name, const char *by)
{
    char in_the_way[NAMELEN];
    int result = component_replace(name, by, in_the_way);
    if (result < 0)
        printf("%s by %s, \"%s\": %s\n", name, by ? by : name, in_the_way, pebble_strerror(result)), exit(1);
    if (!all_holds(check, by ? by : name))
        exit(1);
}
static void refused(const char *by, int error, const char *what)
{
    char in_the_way[NAMELEN] = "";
    int before = invoke_portal(who);
    unsigned long long begun = hrtime();
    int result = component_replace("held", by, in_the_way);
    if (result != -error || strcmp(in_the_way, what))
        printf("%s: %s, \"%s\"\n", by, pebble_strerror(result), in_the_way), exit(1);
    /* Another instance of the same: what was open leads there. */
    int after = invoke_portal(who);
    if (after <= 0 || after == before)
        fail("who serves", after);
    if (!all_holds(check, by))
        exit(1);
    printf("%s: %s after %llu ms\n", by, pebble_strerror(result), (hrtime() - begun) / 500000);
}
static void replacer(void *result)
{
    char in_the_way[NAMELEN];
    *(volatile int *)result = component_replace("held", 0, in_the_way);
}
/* Two at once: one is done, or both, one behind the other, and nothing is started again. */
static void at_once(void)
{
    volatile int results[2] = {0};
    long before = component_watch("held", -1, 0);
    int two = thread_create(replacer, (void *)&results[1], -1), done = 0;
    replacer((void *)&results[0]);
    thread_join(two);
    for (int n = 0; n < 2; n++) {
        if (results[n] < 0 && results[n] != -EBUSY && results[n] != -EDEAD)
            fail("two at once", results[n]);
        done += results[n] > 0;
    }
    long after = component_watch("held", -1, 0);
    if (done == 0 || (after & 3) != COMPONENT_RUNS || (after >> 2) - (before >> 2) != done)
        printf("state %#lx after %#lx, %d done\n", after, before, done), exit(1);
    if (!all_holds(check, "two at once"))
        exit(1);
}
int main(void)
{
    add = opened("sums.add"), digest = opened("sums.digest"), fill = opened("sums.fill"), who = opened("sums.who"), later = opened("sums.later");
    check = portal_open("inspect.check");
    setvbuf(stdout, NULL, _IOLBF, 0);
    set_priority(LOW);
    begins();
    refused("held-other", EINVAL, "sums.add");
    refused("held-lacking", ETIMEDOUT, "sums.who");
    refused("held-without-rights", ETIMEDOUT, "sums.who");
    /* As often as a component may fail, and more: it has not failed. */
    for (int n = 0; n < 8; n++)
        refused("held-failing", ECANCELED, "");
    char in_the_way[NAMELEN];
    if (component_replace("held", "held-of-another", in_the_way) != -EBUSY || component_replace("held", "nothing", in_the_way) != -ENOENT)
        fail("a device of another's", 0);
    printf("each that could not take its place has left it\n");
    for (int n = 0; n < ROUNDS; n++) {
        int before = invoke_portal(who);
        replaced("held", 0);
        int after = invoke_portal(who);
        if (after <= 0 || after == before)
            fail("who serves", after);
    }
    replaced("held", "held-slow"), replaced("held-slow", "held-by-nobody"), replaced("held-by-nobody", 0), replaced("held-by-nobody", "held");
    for (int n = 0; n < ROUNDS / 4; n++)
        at_once();
    /* Who is inside for long gets the answer for the dead, and nobody else does. */
    volatile word result = 0;
    int inside = thread_create(stayer, (void *)&result, HIGH);
    hrsleep(2000000);
    replaced("held", 0);
    thread_join(inside);
    if (result != -EDEAD)
        fail("who was inside", result);
    ends();
    printf("no call was lost or answered wrongly\n");
    /* First alone, then with another one in the middle that has the processor: who asks for it has the lowest priority. */
    for (int looping = 0; looping < 2; looping++) {
        longest = waited = over = 0;
        int calling = thread_create(caller, 0, HIGHEST), middle = looping ? thread_create(loops, 0, MIDDLE) : 0;
        for (int n = 0; n < 20; n++)
            replaced("held", 0);
        over = 1;
        thread_join(calling);
        if (looping)
            thread_join(middle);
        printf("%llu calls waited, the longest for %llu instructions\n", waited, 2 * longest);
        if (waited < 10 || 2 * longest > LONGEST)
            return 2;
    }
    printf("nobody waits for whoever loops\n");
    return 0;
}
