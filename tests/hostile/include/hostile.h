/*
 * The frame of a hostile program: what it defines is `attack`, which returns 0 if every wall held and the number of the one that did
 * not else. The same program runs in a domain of its own, in a sandbox, and in a sandbox in a sandbox (first argument: how deep), while
 * honest domains work: each fills memory, lends it, sends it through a pipe, makes and ends threads, semaphores and children, and
 * compares what comes back. What the attack did to them, or to the tables of the system, is found there.
 *
 * What an attack repeats to use something up, or to meet a moment, it does `hostile_rounds(N)` times: N times in the plain way, fewer where
 * a run takes longer (second argument: how many times fewer).
 *
 * A program whose attack may end its own domain (by a fault, say) defines HOSTILE_MAY_END before it includes this; one whose attack is for the domain that the
 * system's file names, HOSTILE_IN_PLACE: it runs there, not in a child, and in no sandbox.
 *
 * The last line says in which way the walls held. It is what the tests wait for, so a program that does not do as it is told fails.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <pebble.h>
#include <unistd.h>

/* The attack: runs in a domain that is a child of the program's, or in place. */
static int attack(void);
/* What the attacker finds in a line: `wall(n, condition)` ends it with status n where the condition does not hold. */
#define wall(number, condition)                                                                         \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            printf("wall %d: %s does not hold (line %d)\n", number, #condition, __LINE__);              \
            fflush(stdout);                                                                             \
            return number;                                                                              \
        }                                                                                               \
    } while (0)

enum { HONEST = 2, ROUND_BYTES = 8192, STATUS_BROKEN = 100 };
#define HOSTILE_TICKS (1000000ull)

static int hostile_fewer = 1;
/* Sandboxes around the attacker. In two, the stubs of what a child of the attacker's opens are in the attacker's table, and the child's has what it
   had there when it was copied: a call may lead to the right portal with the arguments of another. */
static int hostile_depth;
static inline int hostile_rounds(int rounds) { return (rounds + hostile_fewer - 1) / hostile_fewer; }
/* Posted to end the honest domains' work. */
static int hostile_stop;

static unsigned long hostile_sum(const unsigned char *bytes, unsigned long count, unsigned long sum)
{
    for (unsigned long n = 0; n < count; n++)
        sum = (sum ^ bytes[n]) * 0x100000001b3ul;
    return sum;
}
static void hostile_fill(unsigned char *bytes, unsigned long count, unsigned long seed)
{
    for (unsigned long n = 0; n < count; n++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        bytes[n] = seed >> 33;
    }
}
static word hostile_serves(const unsigned char *window, word count)
{
    return (word)(hostile_sum(window, count, 1) >> 1);
}
static void hostile_thread(void *at)
{
    *(volatile int *)at += 1;
}
/* One round of honest work; 0: everything came out right, else where it did not. */
static int honest_round(int number, int portal, unsigned round)
{
    static _Alignas(4096) unsigned char sent[4096], buffer[ROUND_BYTES], back[ROUND_BYTES];
    unsigned long seed = number * 1000003ul + round;
    hostile_fill(buffer, sizeof buffer, seed);
    unsigned long sum = hostile_sum(buffer, sizeof buffer, 1);
    memcpy(sent, buffer, sizeof sent);
    if (invoke_portal(portal, sent, sizeof sent) != (word)(hostile_sum(sent, sizeof sent, 1) >> 1))
        return 1;
    int ends[2];
    if (pipe(ends) != 0)
        return 2;
    for (unsigned at = 0; at < sizeof buffer; at += 1024) {
        if (write(ends[1], buffer + at, 1024) != 1024)
            return 3;
        for (unsigned got = 0; got < 1024;) {
            int count = read(ends[0], back + at + got, 1024 - got);
            if (count <= 0)
                return 4;
            got += count;
        }
    }
    close(ends[0]);
    close(ends[1]);
    if (hostile_sum(back, sizeof back, 1) != sum)
        return 5;
    volatile int ran = 0;
    int thread = thread_create(hostile_thread, (void *)&ran, -1);
    if (thread < 0 || thread_join(thread) < 0 || ran != 1)
        return 6;
    int semaphore = sem_create(1);
    if (semaphore < 0 || sem_wait(semaphore) || sem_trywait(semaphore) != -EAGAIN || sem_post(semaphore) || sem_destroy(semaphore))
        return 7;
    if (round % 4 == 0) {
        int child = domain_fork(0), status = -1;
        if (child == 0)
            exit(hostile_sum(buffer, sizeof buffer, 1) == sum ? 0 : 1);
        if (child < 0 || domain_wait(child, &status) < 0 || status != 0)
            return 8;
    }
    return hostile_sum(buffer, sizeof buffer, 1) == sum ? 0 : 9;
}
/* An honest domain's life. Its priority is the attacker's. */
static int honest(int number, int stop)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "app.honest.%d", number);
    if (portal_register(name, "npri", hostile_serves, NULL, 2) < 0)
        return STATUS_BROKEN;
    int portal = portal_open(name);
    if (portal < 0)
        return STATUS_BROKEN + 1;
    unsigned round = 0;
    do {
        int failed = honest_round(number, portal, round++);
        if (failed) {
            printf("honest domain %d: round %u failed in step %d\n", number, round, failed);
            fflush(stdout);
            return failed;
        }
    } while (sem_timedwait(stop, HOSTILE_TICKS) == -ETIMEDOUT);
    return 0;
}

static volatile int hostile_child;
static word hostile_intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static int hostile_opened(int asid, int portal, char *spec)
{
    (void)asid;
    /* The child may run before domain_fork returns here. */
    while (!hostile_child)
        yield();
    return portal_create_stub(hostile_child, portal, spec, hostile_intercept);
}
/* The attack's result, `depth` sandboxes deep. A fault comes out as minus its cause. */
static int hostile_at(int depth)
{
#ifdef HOSTILE_IN_PLACE
    return depth == 0 ? attack() : STATUS_BROKEN;
#endif
    int status = STATUS_BROKEN;
    if (depth > 0)
        portal_notify(hostile_opened);
    hostile_child = 0;
    int child = domain_fork(depth > 0 ? hostile_intercept : 0);
    if (child == 0)
        exit(depth > 1 ? hostile_at(depth - 1) : attack());
    hostile_child = child;
    if (child < 0 || domain_wait(child, &status) < 0)
        return STATUS_BROKEN;
    return status;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 0, domains[HONEST], broken = 0;
    hostile_depth = depth;
    hostile_fewer = argc > 2 ? atoi(argv[2]) : 1;
    hostile_stop = sem_create(0);
    for (int n = 0; n < HONEST; n++) {
        domains[n] = domain_fork(0);
        if (domains[n] == 0)
            exit(honest(n, hostile_stop));
        if (domains[n] < 0)
            return STATUS_BROKEN;
    }
    int status = hostile_at(depth);
    for (int n = 0; n < HONEST; n++)
        sem_post(hostile_stop);
    for (int n = 0; n < HONEST; n++) {
        int result = STATUS_BROKEN;
        if (domain_wait(domains[n], &result) < 0 || result != 0) {
            printf("honest domain %d ended with %d\n", n, result);
            broken = 1;
        }
    }
#ifdef HOSTILE_MAY_END
    if (status < 0)
        status = 0;
#endif
    if (status || broken) {
        printf("the attack ended with %d\n", status);
        return 1;
    }
    printf("the walls held in %d sandboxes, 1 round of %d\n", depth, hostile_fewer);
    return 0;
}
#endif
