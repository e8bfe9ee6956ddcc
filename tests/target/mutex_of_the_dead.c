// system locks
// timeout 60
// expect stdout a thread ends with a mutex: its waiter has it, and whoever comes later
// expect stdout a mutex that nobody makes consistent is lost to all
// expect stdout a domain of protection ends with one, at once and as it is hidden from it
// expect stdout so does a domain that has the page at another address
// expect stderr locker (domain 
// expect stderr was stopped: load page fault
// expect stderr starting locker again
/* Robust mutexes: where the holder ends, a thread or the domain in which a thread took it, the next one is told. */
#include "include/locker.h"
#include "include/once_there.h"

enum { MOMENT = 20000000 };
static _Alignas(4096) shared_page page;
static struct shared *const shared = &page.s;
static volatile int got, done;

static void *waits(void *unused)
{
    got = pthread_mutex_lock(&shared->lock);
    if (got == EOWNERDEAD)
        pthread_mutex_consistent(&shared->lock);
    if (got != ENOTRECOVERABLE)
        expect("letting go", pthread_mutex_unlock(&shared->lock), 0);
    done = 1;
    return unused;
}
static void *ends_with_it(void *later)
{
    pthread_mutex_lock(&shared->lock);
    if (later)
        hrsleep(2 * MOMENT);
    return NULL;
}
static pthread_t one_that_waits(void)
{
    pthread_t thread;
    got = -1;
    done = 0;
    expect("a thread", pthread_create(&thread, NULL, waits, NULL), 0);
    return thread;
}
/* The one that waits has been told, and the mutex is as any. */
static void is_told(pthread_t thread)
{
    for (int n = 0; n < 100 && !done; n++)
        hrsleep(MOMENT / 10);
    expect("it has it", done, 1);
    expect("by that", got, EOWNERDEAD);
    pthread_join(thread, NULL);
    expect("again", pthread_mutex_lock(&shared->lock), 0);
    expect("not for another", pthread_mutex_trylock(&shared->lock), EBUSY);
    expect("it lets go", pthread_mutex_unlock(&shared->lock), 0);
    expect("it is not its", pthread_mutex_unlock(&shared->lock), EPERM);
}
static void of_threads(void)
{
    pthread_t holder, waiter;
    initialize(shared, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    pthread_create(&holder, NULL, ends_with_it, (void *)1);
    hrsleep(MOMENT);
    waiter = one_that_waits();
    hrsleep(MOMENT / 10);
    expect("it waits", done, 0);
    is_told(waiter);
    pthread_join(holder, NULL);
    pthread_create(&holder, NULL, ends_with_it, NULL);
    pthread_join(holder, NULL);
    hrsleep(MOMENT);
    expect("who tries", pthread_mutex_trylock(&shared->lock), EOWNERDEAD);
    expect("consistent", pthread_mutex_consistent(&shared->lock), 0);
    expect("once", pthread_mutex_consistent(&shared->lock), EINVAL);
    expect("unlocked", pthread_mutex_unlock(&shared->lock), 0);
    is_told((pthread_create(&holder, NULL, ends_with_it, NULL), pthread_join(holder, NULL), one_that_waits()));
    puts("a thread ends with a mutex: its waiter has it, and whoever comes later");
}
static void lost(void)
{
    pthread_t holder;
    pthread_create(&holder, NULL, ends_with_it, NULL);
    pthread_join(holder, NULL);
    expect("told", pthread_mutex_lock(&shared->lock), EOWNERDEAD);
    pthread_t waiter = one_that_waits();
    hrsleep(MOMENT);
    expect("unlocked", pthread_mutex_unlock(&shared->lock), 0);
    hrsleep(MOMENT);
    pthread_join(waiter, NULL);
    expect("its waiter", got, ENOTRECOVERABLE);
    expect("who comes", pthread_mutex_lock(&shared->lock), ENOTRECOVERABLE);
    expect("who tries", pthread_mutex_trylock(&shared->lock), ENOTRECOVERABLE);
    puts("a mutex that nobody makes consistent is lost to all");
}
static void *is_inside(void *later)
{
    int portal = once_there("app.locker.ends");
    word result = invoke_portal(portal, shared, (word)later);
    portal_close(portal);
    expect("the part has ended", result, -EDEAD);
    return NULL;
}
static void of_parts(void)
{
    /* The thread that was inside lives on. */
    for (word later = 0; later < 2; later++) {
        int dp;
        pthread_t inside, waiter;
        for (int n = 0; (dp = dp_open("locker")) < 0 && n < 400; n++)
            hrsleep(MOMENT / 10);
        portal_close(once_there("app.locker.adds"));
        expect("showing", dp_make_visible(dp, &page, sizeof page, PAGE_READ | PAGE_WRITE), 0);
        initialize(shared, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST);
        if (later) {
            pthread_create(&inside, NULL, is_inside, (void *)later);
            hrsleep(MOMENT);
            waiter = one_that_waits();
            hrsleep(MOMENT);
            expect("it waits", done, 0);
            expect("hiding", dp_make_invisible(dp, &page, sizeof page), 0);
        } else {
            is_inside(NULL);
            waiter = one_that_waits();
        }
        is_told(waiter);
        if (later)
            pthread_join(inside, NULL);
        dp_close(dp);
    }
    puts("a domain of protection ends with one, at once and as it is hidden from it");
}
/* In a child: takes the mutex in a page that its parent lends it for good, and stays there. */
static struct shared *elsewhere;
static word share(struct shared *at, word bytes)
{
    elsewhere = at;
    return bytes;
}
static word stays(void)
{
    int error = pthread_mutex_lock(&elsewhere->lock);
    if (error || elsewhere == shared)
        return -1;
    for (;;)
        hrsleep(MOMENT);
}
static word adds(void)
{
    int error = pthread_mutex_lock(&elsewhere->lock);
    elsewhere->number += 5;
    pthread_mutex_unlock(&elsewhere->lock);
    return error;
}
static int stays_in, adds_in;
static void *is_in_the_child(void *unused)
{
    expect("the child has ended", invoke_portal(stays_in), -EDEAD);
    return unused;
}
static void *adds_in_the_child(void *unused)
{
    expect("the child adds", invoke_portal(adds_in), 0);
    return unused;
}
static void of_domains(void)
{
    initialize(shared, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    int child = domain_fork(NULL);
    if (child == 0) {
        if (portal_register("app.child.share", "nmSi", (word (*)())share, 0, 3) || portal_register("app.child.stays", "np", (word (*)())stays, 0, 0) ||
            portal_register("app.child.adds", "np", (word (*)())adds, 0, 0))
            exit(3);
        thread_exit();
    }
    pthread_t thread;
    stays_in = once_there("app.child.stays");
    adds_in = once_there("app.child.adds");
    expect("sharing", invoke_portal(once_there("app.child.share"), shared, 4096l), 4096);
    pthread_mutex_lock(&shared->lock);
    pthread_create(&thread, NULL, adds_in_the_child, NULL);
    hrsleep(MOMENT);
    expect("it waits", shared->number, 7);
    pthread_mutex_unlock(&shared->lock);
    hrsleep(MOMENT);
    expect("it goes on", shared->number, 12);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, is_in_the_child, NULL);
    hrsleep(MOMENT);
    pthread_t waiter = one_that_waits();
    hrsleep(MOMENT);
    expect("who waits for it", done, 0);
    expect("killing", domain_kill(child), 0);
    is_told(waiter);
    pthread_join(thread, NULL);
    puts("so does a domain that has the page at another address");
}
int main(void)
{
    of_threads();
    lost();
    of_parts();
    of_domains();
    return 0;
}
