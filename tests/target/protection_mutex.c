// system locks
// timeout 60
// expect stdout a part waits for its task's mutex and gets it
// expect stdout the task waits for its part's, and nothing is counted twice
// expect stdout who does not see a mutex wakes nobody
// expect stdout and keeps nobody waiting
/* A mutex in memory that a task and its domain of protection both see is the same one for both; and its waiters have nothing to fear of a part that
   does not see it. */
#include "include/locker.h"
#include "include/once_there.h"

enum { ROUNDS = 300, THREADS = 3, MOMENT = 20000000 };
static _Alignas(4096) shared_page shown, hidden;
static int adds, waits, wakes;
static volatile int done;
static volatile word result;

static void *calls(void *n)
{
    result = invoke_portal(adds, &shown.s, (word)n);
    done = 1;
    return NULL;
}
static void *calls_often(void *portal)
{
    for (int n = 0; n < ROUNDS; n++)
        invoke_portal((word)portal, &shown.s, 2l);
    return NULL;
}
static void *adds_often(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        pthread_mutex_lock(&shown.s.lock);
        long number = shown.s.number;
        yield();
        shown.s.number = number + 1;
        pthread_mutex_unlock(&shown.s.lock);
    }
    return unused;
}
static void waits_its_turn(int kind)
{
    pthread_t thread;
    initialize(&shown.s, kind, PTHREAD_MUTEX_STALLED);
    shown.s.lock.key = 0;
    done = 0;
    pthread_mutex_lock(&shown.s.lock);
    pthread_create(&thread, NULL, calls, (void *)5l);
    hrsleep(MOMENT);
    expect("it waits", done, 0);
    pthread_mutex_unlock(&shown.s.lock);
    hrsleep(MOMENT);
    expect("it goes on", done, 1);
    pthread_join(thread, NULL);
    expect("the sum", result, 12);
}
static void counts(int kind)
{
    pthread_t threads[2 * THREADS];
    initialize(&shown.s, kind, PTHREAD_MUTEX_STALLED);
    for (int n = 0; n < THREADS; n++)
        if (pthread_create(&threads[n], NULL, calls_often, (void *)(word)adds) || pthread_create(&threads[THREADS + n], NULL, adds_often, NULL))
            exit(printf("FAILED: threads\n"));
    for (int n = 0; n < 2 * THREADS; n++)
        pthread_join(threads[n], NULL);
    expect("what was added", shown.s.number, 7 + 3 * THREADS * ROUNDS);
}
static int holder;
static void *pretends(void *unused)
{
    invoke_portal(waits, &hidden.s.lock, (word)holder);
    return unused;
}
static volatile int waiter;
static void *takes(void *unused)
{
    waiter = get_thread();
    pthread_mutex_lock(&hidden.s.lock);
    hidden.s.number++;
    pthread_mutex_unlock(&hidden.s.lock);
    done = 1;
    return unused;
}
static void unseen(int kind, int holder_is_said)
{
    pthread_t first, second;
    initialize(&hidden.s, kind, PTHREAD_MUTEX_STALLED);
    hidden.s.lock.key = 0;
    done = 0;
    holder = holder_is_said ? get_thread() : 0;
    pthread_mutex_lock(&hidden.s.lock);
    pthread_create(&first, NULL, pretends, NULL);
    pthread_detach(first);
    hrsleep(MOMENT);
    pthread_create(&second, NULL, takes, NULL);
    hrsleep(MOMENT);
    for (int n = 0; n < 100; n++)
        invoke_portal(wakes, &hidden.s.lock, (word)(n & 1 ? waiter : holder));
    hrsleep(MOMENT);
    expect("nobody has it", done, 0);
    expect("nor has had it", hidden.s.number, 7);
    pthread_mutex_unlock(&hidden.s.lock);
    hrsleep(MOMENT);
    expect("its waiter has had it", done, 1);
    pthread_join(second, NULL);
}
int main(void)
{
    adds = once_there("app.locker.adds");
    waits = once_there("app.locker.waits");
    wakes = once_there("app.locker.wakes");
    int dp = dp_open("locker");
    expect("showing", dp_make_visible(dp, &shown, sizeof shown, PAGE_READ | PAGE_WRITE), 0);
    waits_its_turn(PTHREAD_MUTEX_NORMAL);
    waits_its_turn(PTHREAD_MUTEX_RECURSIVE);
    puts("a part waits for its task's mutex and gets it");
    counts(PTHREAD_MUTEX_NORMAL);
    counts(PTHREAD_MUTEX_ERRORCHECK);
    puts("the task waits for its part's, and nothing is counted twice");
    unseen(PTHREAD_MUTEX_NORMAL, 0);
    puts("who does not see a mutex wakes nobody");
    unseen(PTHREAD_MUTEX_ERRORCHECK, 1);
    puts("and keeps nobody waiting");
    return 0;
}
