/* What a domain can do, at a low priority, to keep interrupts off: each of these loads goes on for ever, with COUNT threads, and does
   as much as it can at a time in the scheduler or under the portal manager's mask. The latency benchmark and the test of its bound run
   them behind a thread of a higher priority. */
#ifndef HOSTILE_LOADS_H
#define HOSTILE_LOADS_H

#include <pebble.h>

static int hostile_count;
static volatile int hostile_now, hostile_ready;

/* Lets the threads of lower priorities run until `count` of them have said that they are about to wait. */
static void hostile_settle(int count)
{
    while (hostile_ready < count)
        hrsleep(20000);
    hrsleep(20000);
}
static void hostile_start(void (*body)(void *), int priorities)
{
    hostile_ready = 0;
    for (int i = 0; i < hostile_count; i++)
        thread_create(body, (void *)(long)i, i % priorities);
}
/* A semaphore on which many wait is destroyed; they wait for the next one. */
static void hostile_waits(void *argument)
{
    (void)argument;
    for (;;) {
        __atomic_fetch_add(&hostile_ready, 1, __ATOMIC_RELAXED);
        sem_wait(hostile_now);
    }
}
static void hostile_destroys(void)
{
    hostile_now = sem_create(0);
    hostile_start(hostile_waits, 8);
    for (;;) {
        hostile_settle(hostile_count);
        int old = hostile_now;
        hostile_now = sem_create(0);
        hostile_ready = 0;
        sem_destroy(old);
    }
}
/* A thread waits where many of a lower priority do. */
static void hostile_inserts(void)
{
    hostile_now = sem_create(0);
    hostile_start(hostile_waits, 1);
    hostile_settle(hostile_count);
    for (;;)
        invoke_portal(hostile_now, 1l);
}
/* A thread ends that many wait for. */
static void hostile_joins(void *argument)
{
    (void)argument;
    for (;;) {
        __atomic_fetch_add(&hostile_ready, 1, __ATOMIC_RELAXED);
        if (thread_join(hostile_now) < 0)
            hrsleep(1000);
    }
}
static volatile int hostile_end;
static void hostile_joined(void *argument)
{
    sem_wait((int)(long)argument);
}
static void hostile_exits(void)
{
    int go = sem_create(0);
    hostile_now = thread_create(hostile_joined, (void *)(long)go, 9);
    hostile_start(hostile_joins, 8);
    for (;;) {
        hostile_settle(hostile_count);
        hostile_now = thread_create(hostile_joined, (void *)(long)go, 9);
        hostile_ready = 0;
        sem_post(go);
    }
}
/* Many sleep until the same moment, and wait for a semaphore until then. */
static void hostile_sleeps(void *argument)
{
    for (;;) {
        unsigned long long left = 1000000 - hrtime() % 1000000;
        if ((long)argument % 2)
            hrsleep(left);
        else
            invoke_portal(hostile_now, (word)left);
    }
}
static void hostile_alarms(void)
{
    hostile_now = sem_create(0);
    hostile_start(hostile_sleeps, 8);
    for (;;)
        hrsleep(1000000);
}
/* A domain ends while its threads are deep in calls. */
static int hostile_portal;
static word hostile_deep(word depth)
{
    if (depth > 0)
        return invoke_portal(hostile_portal, depth - 1);
    __atomic_fetch_add(&hostile_ready, 1, __ATOMIC_RELAXED);
    return sem_wait(hostile_now);
}
static void hostile_dives(void *argument)
{
    (void)argument;
    invoke_portal(hostile_portal, 40);
}
static void hostile_kills(void)
{
    for (;;) {
        int child = domain_fork(NULL);
        if (child == 0) {
            portal_register("app.deep", "smi", hostile_deep, NULL, 0);
            hostile_portal = portal_open("app.deep");
            hostile_now = sem_create(0);
            hostile_count = 16;
            hostile_start(hostile_dives, 8);
            hostile_settle(hostile_count);
            exit(0);
        }
        domain_wait(child, NULL);
    }
}

static const struct {
    const char *name;
    void (*what)(void);
    int threads; /* 0: as many as there may be */
} hostile_loads[] = {
    {"semaphores-destroyed", hostile_destroys, 0}, {"ordered-waits", hostile_inserts, 0},
    {"joined-threads-end", hostile_exits, 0},      {"alarms-together", hostile_alarms, 0},
    {"domains-end", hostile_kills, 16},
};
enum { HOSTILE_LOADS = sizeof hostile_loads / sizeof *hostile_loads };

/* A domain with load `n`, of `count` threads where it does not say; its ASID. */
static int hostile_load(int n, int count, int priority)
{
    int child = domain_fork(NULL);
    if (child != 0)
        return child;
    set_priority(priority);
    hostile_count = hostile_loads[n].threads ? hostile_loads[n].threads : count;
    hostile_loads[n].what();
    exit(1);
}
#endif
