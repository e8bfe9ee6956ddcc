// system healing
// icount
// timeout 60
// sample 10
// expect stdout nobody waits for longer than that
#include "include/opened.h"
/* How long the longest call takes while its server ends and is started again, for a client that calls it all the time, in instructions: -icount counts one for a nanosecond, and a tick of
   hrtime is two of these. The first argument: one in how many of the 50 ends of each server. */
enum { ROUNDS = 50, LOW = 8, HIGH = 9, PAUSE = 50000, INSTRUCTIONS = 2 };

static int add, stop;
static struct seen { unsigned long long calls, longest, all, slow; } seen;

static void client(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        unsigned long long begun = hrtime();
        word sum = invoke_portal(add, 40l, 2l);
        unsigned long long took = hrtime() - begun;
        if (sum != 42 && sum != -EDEAD)
            exit(1);
        if (took > seen.longest)
            seen.longest = took;
        if (took > 5000)
            seen.slow++, seen.all += took;
        seen.calls++;
        hrsleep(PAUSE / 50);
    }
}
int main(int argc, char **argv)
{
    static const struct { const char *name; unsigned long long most; } servers[] = {{"plain", 400000}, {"software", 3000000}, {"super", 250000}};
    int share = argc > 1 ? atoi(argv[1]) : 1, destroy = portal_open("domain.destroy"), late = 0;
    for (int s = 0; s < 3; s++) {
        add = called(servers[s].name, "add");
        int who = called(servers[s].name, "who");
        stop = 0, seen = (struct seen){0};
        int thread = thread_create(client, 0, HIGH);
        set_priority(LOW);
        for (int n = 0; n < ROUNDS / share; n++) {
            if (invoke_portal(destroy, invoke_portal(who)) < 0)
                exit(2);
            hrsleep(PAUSE * 20);
        }
        __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
        thread_join(thread);
        printf("%s: %llu calls, %llu slow ones of %llu instructions, the longest %llu\n", servers[s].name, seen.calls, seen.slow, INSTRUCTIONS * seen.all / (seen.slow ? seen.slow : 1), INSTRUCTIONS * seen.longest);
        late |= INSTRUCTIONS * seen.longest > servers[s].most || !seen.slow;
    }
    if (late)
        return 3;
    printf("nobody waits for longer than that\none in %d was tried\n", share);
    return 0;
}
