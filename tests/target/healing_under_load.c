// system healing
// icount
// timeout 240
// sample 20
// expect stdout no call was answered wrongly, and none lost but by who was inside
#include <pebble.h>
#include <sys/wait.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* Each of three servers, a domain, a fault domain and one in supervisor mode, ends 1,000 times, by a fault and killed in turn, while two threads and two other domains
   call it all the time, with words and with windows. Each answer is looked at; only who is in a call when its server ends may get EDEAD, once. What the system has of everything is counted
   before and after. The first argument: one in how many of the rounds. */
enum { ROUNDS = 1000, WARM = 560, THREADS = 2, DOMAINS = 2, KEPT = 16, LOW = 5 };

static const char *const names[] = {"domains", "zombies", "ended", "registrations", "blocks", "code bytes", "retired",
    "users", "semaphores", "stacks", "descriptors", "threads", "free threads", "free frames", "promised frames"};
enum { COUNTS = sizeof names / sizeof *names };
typedef struct { _Alignas(128) unsigned long counts[COUNTS]; } counts;

static int add, digest, fill, check, count, destroy;
static volatile int over;
static volatile unsigned long calls[THREADS], lost[THREADS];
static const char *const servers[] = {"plain", "software", "super"};
enum { SERVERS = 3, LOST = 99 };

/* One call of each kind, with answers that no other call has. LOST: the server has ended within one, and the next was answered. */
static int once(char *bytes, unsigned long n)
{
    word all = 1, got = invoke_portal(add, n, 7 * n);
    /* The call is short: it is within it that few ends come, and hardly two in a row. */
    for (int again = 0; got == -EDEAD && again < 3; again++)
        if ((got = invoke_portal(add, n, 7 * n)) == (word)(8 * n))
            return LOST;
    if (got != (word)(8 * n))
        return 1;
    got = invoke_portal(fill, bytes + n % 64, 5000l, n % 251);
    if (got != 5000)
        return got == -EDEAD ? LOST : 2;
    for (int k = 0; k < 5000; k++) {
        if ((unsigned char)bytes[n % 64 + k] != n % 251)
            return 3;
        all = all * 31 + n % 251;
    }
    got = invoke_portal(digest, bytes + n % 64, 5000l);
    return got == all ? 0 : got == -EDEAD ? LOST : 4;
}
static void client(void *argument)
{
    static _Alignas(4096) char bytes[THREADS][8192];
    int own = (int)(word)argument, wrong;
    while (!over) {
        if ((wrong = once(bytes[own], calls[own] * THREADS + own)) == LOST)
            lost[own]++;
        else if (wrong) {
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
        if (wrong && wrong != LOST)
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
    int domains[DOMAINS] = {0}, threads[THREADS], status;
    for (int s = 0; s < SERVERS; s++) {
        add = called(servers[s], "add"), digest = called(servers[s], "digest"), fill = called(servers[s], "fill");
        int who = called(servers[s], "who"), fault = called(servers[s], "fault");
        over = 0;
        for (int n = 0; n < THREADS; n++)
            threads[n] = thread_create(client, (void *)(word)n, LOW);
        for (int n = 0; n < rounds; n++) {
            for (int d = 0; d < DOMAINS; d++)
                /* One after the other, so that there are some that open nothing themselves, and some that end. */
                if (n % 20 == 10 * d) {
                    if (domains[d] && (domain_wait(domains[d], &status) || status != 100))
                        return fail("another domain", n, status);
                    if ((domains[d] = domain_fork(0)) == 0) {
                        set_priority(LOW);
                        other_domain(20);
                    }
                }
            /* At any place of the others' calls. */
            hrsleep(n * 7919 % 40000);
            word before = invoke_portal(who), result = n % 2 ? invoke_portal(fault) : invoke_portal(destroy, before);
            if (before <= 0 || result != (n % 2 ? -EDEAD : 0))
                return fail(servers[s], n, before <= 0 ? before : result);
            /* Its calls are this thread's own: none is lost. */
            if (invoke_portal(add, 40l, 2l) != 42 || invoke_portal(who) == before)
                return fail("the new one", n, before);
            if (n % 100 == 99 && !all_holds(check, servers[s]))
                return 1;
            /* Not too often for a period. */
            hrsleep(MILLISECOND / 8);
        }
        over = 1;
        for (int n = 0; n < THREADS; n++)
            thread_join(threads[n]);
        for (int n = 0; n < THREADS; n++)
            if (lost[n] > (unsigned long)rounds)
                return fail("lost", n, lost[n]);
        lost[0] = lost[1] = 0;
        for (int d = 0; d < DOMAINS; d++) {
            if (domains[d] && (domain_wait(domains[d], &status) || status != 100))
                return fail("another domain", rounds, status);
            domains[d] = 0;
        }
        portal_close(add), portal_close(digest), portal_close(fill), portal_close(who), portal_close(fault);
    }
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
    check = portal_open("inspect.check"), count = portal_open("inspect.counts"), destroy = portal_open("domain.destroy");
    /* Below the servers: who always runs would keep a new one from getting ready. And above the clients, or each end would wait for all of their turns. */
    set_priority(LOW + 1);
    /* Tables that grow once: with each number that a domain may have. */
    if (phase(WARM / SERVERS))
        return 1;
    /* What has ended last may still be on its way out. */
    hrsleep(10000000);
    if (invoke_portal(count, &before) || invoke_portal(count, &before) || phase(ROUNDS / share))
        return 1;
    for (int tries = 0; tries < 100 && (invoke_portal(count, &after), differing(&before, &after, 0)); tries++)
        hrsleep(10000000);
    if (!calls[0] || !calls[1] || differing(&before, &after, 1))
        return 4;
    printf("no call was answered wrongly, and none lost but by who was inside\none in %d was tried\n", share);
    return 0;
}
