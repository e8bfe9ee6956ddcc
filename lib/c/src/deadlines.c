/* Calls with a deadline. Another thread of this domain makes the call: when time runs out the caller goes on, and that thread is
   cancelled, so that the server waits for nothing more on its behalf, and ends when the server returns. So no server is ever left
   in the middle of what it does. */
#include "system.h"
#undef invoke_portal_timed

enum { RUNNING, FINISHED, ABANDONED };
struct timed {
    word portal, p[6], result;
    int done;
    int state;
    /* What the call lends and nobody else needs, or NULL. */
    void *lent;
};
static void discard(struct timed *t)
{
    free(t->lent);
    free(t);
}

static void make_call(void *argument)
{
    struct timed *t = argument;
    t->result = invoke_portal(t->portal, t->p[0], t->p[1], t->p[2], t->p[3], t->p[4], t->p[5]);
    int done = t->done;
    if (__atomic_exchange_n(&t->state, FINISHED, __ATOMIC_ACQ_REL) == ABANDONED)
        discard(t);
    else
        sem_post(done);
}
/* This thread's semaphore; a fork's is its own. */
static int done_semaphore(void)
{
    static __thread int semaphore, owner;
    if (owner != get_asid()) {
        semaphore = sem_create(0);
        owner = semaphore > 0 ? get_asid() : 0;
    }
    return semaphore;
}
/* Makes the call of `t`, and frees it. */
static word timed(unsigned long long ticks, struct timed *t)
{
    int done = t->done = done_semaphore();
    int thread = done < 0 ? done : thread_create(make_call, t, -1);
    if (thread < 0) {
        discard(t);
        return thread;
    }
    if (sem_timedwait(done, ticks) != 0) {
        if (__atomic_exchange_n(&t->state, ABANDONED, __ATOMIC_ACQ_REL) == RUNNING) {
            /* It may have ended meanwhile, and another thread has its place: then nothing happens. */
            thread_cancel(thread);
            return -ETIMEDOUT;
        }
        sem_wait(done);
    }
    word result = t->result;
    discard(t);
    return result;
}
word invoke_portal_timed(unsigned long long ticks, int portal, word p0, word p1, word p2, word p3, word p4, word p5)
{
    struct timed *t = malloc(sizeof *t);
    if (!t)
        return -ENOMEM;
    *t = (struct timed){.portal = portal, .p = {p0, p1, p2, p3, p4, p5}};
    return timed(ticks, t);
}
int portal_open_timed(unsigned long long ticks, const char *name)
{
    struct timed *t = malloc(sizeof *t);
    char *copy = aligned_alloc(NAMELEN, NAMELEN);
    if (!t || !copy || !copy_name(copy, name)) {
        int error = t && copy ? -EINVAL : -ENOMEM;
        free(copy);
        free(t);
        return error;
    }
    *t = (struct timed){.portal = SYS_PORTAL_OPEN, .p = {(word)copy}, .lent = copy};
    return timed(ticks, t);
}
