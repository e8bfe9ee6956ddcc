// expect stdout all were woken at once
// timeout 60
// on strict
/* More domains than may, of different priorities, say that a low thread holds a lock, and wait for it by two threads each. When it lets go, the first
   of each that waits wakes, in one call, and so they do when it waits for that lock itself: interrupts are not off for too long there, or the machine
   ends the run. */
#include <pebble.h>

enum { DOMAINS = 8, AT_ONCE = 6, ROUNDS = 20, KEY = 0x12340, LATER = 1000, LOWEST = 4, LOW = 6, HIGH = 8 };
enum { LOCK_ASK = 35, LOCK_LET_GO = 36 };
static int woken, waits;

static word wait_for(word holder)
{
    word turns = invoke_portal(LOCK_ASK, (word)KEY, 0l, -1l);
    return invoke_portal(LOCK_ASK, (word)KEY, holder, turns);
}
static void waits_on(void *holder)
{
    for (;;) {
        sem_post(waits);
        if (wait_for((word)holder) == 0)
            sem_post(woken);
        else
            hrsleep(LATER);
    }
}
/* Names itself again and again, so that who waits for it is woken. */
static void lets_go(void *argument)
{
    (void)argument;
    for (;;) {
        invoke_portal(LOCK_LET_GO, (word)KEY, (word)get_thread());
        hrsleep(LATER);
    }
}
/* Once each waits again: the first that does lends its priority to who wakes them. */
static int all_taken(int semaphore)
{
    int count = 0;
    hrsleep(20 * LATER);
    while (invoke_portal((word)semaphore, 0l) == 0)
        count++;
    return count;
}
int main(void)
{
    int own = get_thread(), children[DOMAINS];
    woken = sem_create(0), waits = sem_create(0);
    int other = thread_create(lets_go, 0, LOWEST);
    if (woken < 0 || waits < 0 || other < 0 || set_priority(LOW) != 0)
        return 1;
    for (int n = 0; n < DOMAINS; n++) {
        children[n] = domain_fork(NULL);
        if (children[n] < 0)
            return 2;
        if (children[n] == 0) {
            if (set_priority(HIGH + n % 5) != 0 || thread_create(waits_on, (void *)(word)own, HIGH + n % 3) < 0)
                _Exit(3);
            waits_on((void *)(word)own);
        }
    }
    for (int n = 0; n < 2 * DOMAINS; n++)
        sem_wait(waits);
    for (int round = 0; round < ROUNDS; round++) {
        invoke_portal(LOCK_LET_GO, (word)KEY, (word)own);
        int count = all_taken(woken);
        if (count < AT_ONCE) {
            printf("%d were woken where it let go\n", count);
            return 4;
        }
        wait_for(other & 4095);
        count = all_taken(woken);
        if (count < AT_ONCE) {
            printf("%d were woken where it waited\n", count);
            return 5;
        }
    }
    for (int n = 0; n < DOMAINS; n++)
        domain_kill(children[n]), domain_wait(children[n], NULL);
    puts("all were woken at once");
    return 0;
}
