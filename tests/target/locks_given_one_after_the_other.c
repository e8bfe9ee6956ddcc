// expect stdout given 10, and all have ended
// timeout 30
/* A thread waits for lock after lock of one that does nothing, each time with another one behind it, and is woken each time: those are left for it. It
   is given so many that the scheduler looks through all of them, and when it ends all of them wake. */
#include <pebble.h>

enum { LOCKS = 20, LOW = 6, BEHIND = 8, FIRST = 9, LOCK_ASK = 35, LOCK_LET_GO = 36 };
static int holder, given;

static word wait_for(word lock)
{
    word turns = invoke_portal(LOCK_ASK, lock, 0l, -1l);
    return invoke_portal(LOCK_ASK, lock, (word)holder, turns);
}
static word key(word n) { return 0x12340 + 16 * n; }
static void sleeps(void *semaphore) { sem_wait((int)(word)semaphore); }
static void gathers(void *argument)
{
    (void)argument;
    for (word n = 0; n < LOCKS && wait_for(key(n)) == 0; n++)
        given++;
}
static void waits(void *n) { wait_for(key((word)n)); }

int main(void)
{
    int never = sem_create(0), threads[LOCKS];
    if (never < 0 || set_priority(LOW) != 0)
        return 1;
    int owner = thread_create(sleeps, (void *)(word)never, LOW);
    holder = owner & 4095;
    hrsleep(10000);
    int first = thread_create(gathers, 0, FIRST);
    for (word n = 0; n < LOCKS; n++) {
        threads[n] = thread_create(waits, (void *)n, BEHIND);
        if (threads[n] < 0)
            return 2;
        invoke_portal(LOCK_LET_GO, key(n), (word)holder);
    }
    thread_join(first);
    for (word n = 0; n < LOCKS; n++)
        thread_join(threads[n]);
    sem_post(never);
    thread_join(owner);
    printf("given %d, and all have ended\n", given);
    return 0;
}
