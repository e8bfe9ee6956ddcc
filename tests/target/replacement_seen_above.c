// system replacing
// icount
// timeout 120
// sample 5
// expect stdout no more than that was seen above
#include "include/opened.h"
/* What a thread of higher priority than all that is replaced and replaces sees of it: init, which hears of each end and is above all, and the moments in which the
   trusted servers let nobody in. In instructions: -icount counts one for a nanosecond, and a tick of hrtime is two of these. The first argument: one in how many of the 200 replacements. */
enum { ROUNDS = 200, HIGH = 18, LOW = 8, PAUSE = 50000, INSTRUCTIONS = 2, CALL = 10000, ALARM = 100000 };

static int add, stop;
static struct seen { unsigned long long calls, longest, latest; } seen;

static void above(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        unsigned long long due = hrtime() + PAUSE;
        hrsleep(PAUSE);
        unsigned long long begun = hrtime();
        word sum = invoke_portal(add, 40l, 2l);
        unsigned long long took = hrtime() - begun;
        if (sum != 42)
            exit(1);
        if (begun - due > seen.latest)
            seen.latest = begun - due;
        if (took > seen.longest)
            seen.longest = took;
        seen.calls++;
    }
}
static struct seen watched(int rounds)
{
    static const char *const ways[] = {"sums", "sums-sfi", "sums-supervisor"};
    stop = 0, seen = (struct seen){0};
    int thread = thread_create(above, 0, HIGH);
    set_priority(LOW);
    if (rounds == 0)
        hrsleep(1000 * PAUSE);
    for (int n = 0; n < rounds; n++) {
        int replaced = component_replace(ways[n % 3], ways[(n + 1) % 3], 0);
        if (replaced < 0) {
            printf("replacement %d: %d\n", n, replaced);
            exit(2);
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    thread_join(thread);
    return seen;
}
int main(int argc, char **argv)
{
    int share = argc > 1 ? atoi(argv[1]) : 1;
    add = opened("sums.add");
    struct seen without = watched(0), with = watched(ROUNDS / share);
    printf("%llu calls, the longest %llu instructions; alarms late by %llu at most\n", without.calls, INSTRUCTIONS * without.longest, INSTRUCTIONS * without.latest);
    printf("%llu calls, the longest %llu instructions; alarms late by %llu at most\n", with.calls, INSTRUCTIONS * with.longest, INSTRUCTIONS * with.latest);
    if (INSTRUCTIONS * with.longest > INSTRUCTIONS * without.longest + CALL || INSTRUCTIONS * with.latest > INSTRUCTIONS * without.latest + ALARM || with.calls < 100)
        return 3;
    printf("no more than that was seen above\none in %d was tried\n", share);
    return 0;
}
