// system replacing
// timeout 240
// sample 10
// expect stdout no call was lost or answered wrongly
#include <pebble.h>
#include <sys/wait.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* A server is succeeded 1,000 times, by a domain, a fault domain and one in supervisor mode in turn, while two threads and two other domains call it all the
   time, with words and with windows. Each answer is looked at; what the system has of everything is counted before and after. The first argument: one in how
   many of the rounds. */
enum { ROUNDS = 1000, WARM = 560, THREADS = 2, DOMAINS = 2, KEPT = 16 };

static const char *const names[] = {"domains", "zombies", "ended", "registrations", "blocks", "code bytes", "retired",
    "users", "semaphores", "stacks", "descriptors", "threads", "free threads", "free frames", "promised frames"};
enum { COUNTS = sizeof names / sizeof *names };
typedef struct { _Alignas(128) unsigned long counts[COUNTS]; } counts;

static int add, digest, fill, check, count;
static volatile int over;
static volatile unsigned long calls[THREADS];
static const char *const ways[] = {"sums", "sums-sfi", "sums-supervisor"};

/* One call of each kind, with answers that no other call has. */
static int once(char *bytes, unsigned long n)
{
    word all = 1;
    if (invoke_portal(add, n, 7 * n) != (word)(8 * n))
        return 1;
    if (invoke_portal(fill, bytes + n % 64, 5000l, n % 251) != 5000)
        return 2;
    for (int k = 0; k < 5000; k++) {
        if ((unsigned char)bytes[n % 64 + k] != n % 251)
            return 3;
        all = all * 31 + n % 251;
    }
    return invoke_portal(digest, bytes + n % 64, 5000l) == all ? 0 : 4;
}
static void client(void *argument)
{
    static _Alignas(4096) char bytes[THREADS][8192];
    int own = (int)(word)argument, wrong;
    while (!over) {
        if ((wrong = once(bytes[own], calls[own] * THREADS + own))) {
            printf("call %lu of thread %d: %d\n", calls[own], own, wrong);
            exit(1);
        }
        calls[own]++;
    }
}
/* In a domain of its own, which is a copy of this one: until it has called as often as it is told. */
static void other_domain(int rounds)
{
    static _Alignas(4096) char bytes[8192];
    for (int n = 0; n < rounds; n++) {
        int wrong = once(bytes, n);
        if (wrong)
            exit(wrong);
    }
    exit(100);
}
static int fail(const char *what, int n, long got)
{
    printf("%s, %d: %ld\n", what, n, got);
    return 1;
}
static int phase(int rounds)
{
    static int now;
    int domains[DOMAINS] = {0}, threads[THREADS], status;
    over = 0;
    for (int n = 0; n < THREADS; n++)
        threads[n] = thread_create(client, (void *)(word)n, -1);
    /* To the end of a turn: each mechanism has code of its own length. */
    for (int n = 0; n < rounds || now; n++) {
        for (int d = 0; d < DOMAINS; d++)
            /* One after the other, so that there are some that open nothing themselves, and some that end. */
            if (n % 20 == 10 * d) {
                if (domains[d] && (domain_wait(domains[d], &status) || status != 100))
                    return fail("another domain", n, status);
                if ((domains[d] = domain_fork(0)) == 0)
                    other_domain(20);
            }
        int next = (now + 1) % 3;
        char in_the_way[NAMELEN];
        int result = component_replace(ways[now], ways[next], in_the_way);
        if (result < 0)
            return fail(in_the_way, n, result);
        now = next;
        if (n % 100 == 99 && !all_holds(check, ways[now]))
            return 1;
    }
    over = 1;
    for (int n = 0; n < THREADS; n++)
        thread_join(threads[n]);
    for (int d = 0; d < DOMAINS; d++)
        if (domains[d] && (domain_wait(domains[d], &status) || status != 100))
            return fail("another domain", rounds, status);
    return 0;
}
/* How many counts differ. Of what is kept, and what this program shares with its copies, there is as much as they happened to have written. */
static int differing(const counts *before, const counts *after, int say)
{
    int differing = 0;
    for (int n = 0; n < COUNTS; n++) {
        int kept = !strncmp(names[n], "free", 4) || !strncmp(names[n], "promised", 8);
        if (labs((long)(before->counts[n] - after->counts[n])) <= (kept ? KEPT : 0))
            continue;
        differing++;
        if (say)
            printf("%s: %lu before, %lu after\n", names[n], before->counts[n], after->counts[n]);
    }
    return differing;
}
int main(int argc, char **argv)
{
    static counts before, after;
    int share = argc > 1 ? atoi(argv[1]) : 1;
    add = opened("sums.add"), digest = opened("sums.digest"), fill = opened("sums.fill");
    check = portal_open("inspect.check"), count = portal_open("inspect.counts");
    /* Below the servers: who always runs would keep a new one from getting ready. */
    set_priority(5);
    /* Tables that grow once: with each number that a domain may have. */
    if (phase(WARM))
        return 1;
    /* What has ended last may still be on its way out. */
    hrsleep(10000000);
    if (invoke_portal(count, &before) || invoke_portal(count, &before) || phase(ROUNDS / share))
        return 1;
    for (int tries = 0; tries < 100 && (invoke_portal(count, &after), differing(&before, &after, 0)); tries++)
        hrsleep(10000000);
    if (!calls[0] || !calls[1] || differing(&before, &after, 1))
        return 4;
    printf("no call was lost or answered wrongly\none in %d was tried\n", share);
    return 0;
}
