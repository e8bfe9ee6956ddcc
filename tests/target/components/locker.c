/* A part of a program: adds to a number under the mutex beside it, or does with it what a part should not. */
#include "../include/locker.h"

/* The number, or why the mutex could not be had. */
static word adds(struct shared *s, word n)
{
    int error = pthread_mutex_lock(&s->lock);
    if (error)
        return -error;
    word number = s->number;
    if (n > 1)
        yield();
    s->number = number + n;
    error = pthread_mutex_unlock(&s->lock);
    return error ? -error : s->number;
}
/* Ends with it in the hand: at once, or when it is no longer shown the number. */
static word ends(struct shared *s, word later)
{
    if (pthread_mutex_lock(&s->lock))
        return -1;
    s->number = 0;
    while (later && s->number == 0)
        hrsleep(1000000);
    return *(volatile word *)8;
}
/* Waits for a lock by its key alone, and goes on to nothing. */
static word waits(word key, word holder)
{
    word turns = invoke_portal(PEBBLE_LOCK_WAIT, key, 0l, -1l);
    word result = invoke_portal(PEBBLE_LOCK_WAIT, key, holder, turns);
    hrsleep(2000000000ull);
    return result;
}
/* Says that it has let go. */
static word wakes(word key, word whom) { return invoke_portal(PEBBLE_LOCK_RELEASE, key, whom); }

int main(void)
{
    if (portal_register("app.locker.adds", "npii", (word (*)())adds, 0, 6) < 0 || portal_register("app.locker.ends", "npii", (word (*)())ends, 0, 0) < 0 ||
        portal_register("app.locker.waits", "npii", (word (*)())waits, 0, 0) < 0 ||
        portal_register("app.locker.wakes", "npii", (word (*)())wakes, 0, 0) < 0)
        return 3;
    thread_exit();
}
