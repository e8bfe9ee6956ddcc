/*
 * A server that is looked after by its deadlines, of which there are several: its portals are called by its name. Most of them do not return when they should.
 */
#include <pebble.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "../include/opened.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int sick, hung;
static int never, beyond;
static const char *other;

static word add(word a, word b) { return a + b; }
static word who(void) { return get_asid(); }
static word spin(void)
{
    for (;;)
        atomic_signal_fence(memory_order_seq_cst);
}
static word hang(void)
{
    hung++;
    return sem_wait(never);
}
static word doze(word milliseconds)
{
    hrsleep(milliseconds * MILLISECOND);
    return 0;
}
/* So many thousands of turns of a loop. */
static word work(word turns)
{
    for (word n = 0; n < 1000 * turns; n++)
        atomic_signal_fence(memory_order_seq_cst);
    return turns;
}
/* Takes both locks, the first of them so. */
static word cross(word first)
{
    pthread_mutex_lock(&locks[first & 1]);
    hrsleep(20 * MILLISECOND);
    pthread_mutex_lock(&locks[!(first & 1)]);
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_unlock(&locks[1]);
    return 0;
}
static word touch(const volatile char *bytes, word count) { return count ? bytes[0] : 0; }
static word locked(void)
{
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    return 0;
}
/* Has what the other one is asked take as long as that does. */
static word pass(word milliseconds)
{
    if (beyond <= 0)
        beyond = called(other, "doze");
    return invoke_portal(beyond, milliseconds);
}
/* The same under a lock. */
static word pass_locked(word milliseconds)
{
    pthread_mutex_lock(&locks[0]);
    word result = pass(milliseconds);
    pthread_mutex_unlock(&locks[0]);
    return result;
}
/* Waits for a thread of whoever's. */
static word join(word thread) { return thread_join(thread); }
/* Has the other one do that, under the lock. */
static word join_locked(word thread)
{
    int portal = called(other, "join");
    pthread_mutex_lock(&locks[0]);
    word result = invoke_portal(portal, thread);
    pthread_mutex_unlock(&locks[0]);
    return result;
}
/* Calls the other one's `back`, and that one this one's `add`, if it has a stack left. */
static word around(word again)
{
    int portal = called(other, again ? "around" : "alone");
    return portal < 0 ? portal : invoke_portal(portal, 0l);
}
static word alone(word ignored) { return ignored; }
static word health(void)
{
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    return sick == 1 || hung > 3 ? -EIO : 0;
}
/* 1: it says that it is not well from now on; 2: it keeps the lock that it would say that under. */
static word falls_sick(word how)
{
    sick = how;
    return how == 2 ? pthread_mutex_lock(&locks[0]) : 0;
}

int main(int argc, char **argv)
{
    static char name[20][NAMELEN] __attribute__((aligned(1024)));
    static const struct {
        const char *name, *specification;
        void *entry;
    } all[] = {
        {"add", "npii", add},       {"who", "np", who},     {"spin", "np", spin},     {"hang", "np", hang},
        {"doze", "npi", doze},      {"work", "npi", work},  {"cross", "npi", cross},  {"touch", "npri", touch},
        {"locked", "np", locked},   {"pass", "npi", pass},  {"around", "npi", around}, {"alone", "npi", alone},
        {"health", "np", health},   {"sick", "npi", falls_sick}, {"behind", "npi", pass_locked},
        {"join", "npi", join},      {"joins", "npi", join_locked},
    };
    never = sem_create(0);
    other = argc > 1 ? argv[1] : "";
    int stacks = argc > 2 ? atoi(argv[2]) : 4;
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        snprintf(name[n], NAMELEN, "%s.%s", argv[0], all[n].name);
        int error = portal_register(name[n], all[n].specification, all[n].entry, 0, n == 0 ? stacks : 0);
        if (error < 0)
            printf("%s: %d\n", name[n], error);
    }
    thread_exit();
}
