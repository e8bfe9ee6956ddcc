// system crowd
// memory 512
// timeout 120
// expect stdout 256 domains, 10240 portals, 1024 threads: every call came out right
#include "include/all_holds.h"
/* 256 domains, each a server that 40 others have opened, each with 40 portals of its own to others and four threads that call through
   all of them. Their code is more than one region of portal code. */
enum { DOMAINS = 256, PORTALS = 40, THREADS = 4, REGION = 2 << 20 };

static int registered, go, opened, call, called, leave, inspect_counts, inspect_check;
static int self, portals[PORTALS], wrong;

static word serve(word value)
{
    return value * DOMAINS + self;
}
static int peer(int n)
{
    return (self + 1 + n) % DOMAINS;
}
static void call_all(void *argument)
{
    int thread = (int)(long)argument;
    for (int n = 0; n < PORTALS; n++) {
        int at = (n + 10 * thread) % PORTALS;
        word value = self * 1000 + thread * 100 + at;
        if (invoke_portal(portals[at], value) != value * DOMAINS + peer(at))
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
}
static void thread(void *argument)
{
    sem_wait(call);
    call_all(argument);
    sem_post(called);
    sem_wait(leave);
}
static int child(int number)
{
    char name[16];
    self = number;
    snprintf(name, sizeof name, "app.%d", self);
    if (portal_register(name, "npi", serve, 0, 1) < 0)
        return 1;
    sem_post(registered);
    sem_wait(go);
    for (int n = 0; n < PORTALS; n++) {
        snprintf(name, sizeof name, "app.%d", peer(n));
        if ((portals[n] = portal_open(name)) < 0)
            return 2;
    }
    for (long n = 1; n < THREADS; n++)
        if (thread_create(thread, (void *)n, -1) < 0)
            return 3;
    sem_post(opened);
    thread(0);
    return wrong ? 4 : 0;
}
static void all(void (*what)(int), int sem, int count)
{
    for (int n = 0; n < count; n++)
        what(sem);
}
static void post(int sem)
{
    sem_post(sem);
}
static int failed;
/* A child that could not go on posts nothing: this says so rather than wait for ever. */
static void wait(int sem)
{
    if (!failed && sem_timedwait(sem, 600000000000ull) < 0)
        failed = 1;
}
typedef struct {
    _Alignas(128) unsigned long domains;
    unsigned long zombies, ended, registrations, blocks, code_bytes, retired, users, semaphores, stacks, descriptors, threads,
        free_threads, free_frames, promised;
} counts;
int main(void)
{
    static counts with;
    int asids[DOMAINS], status, bad = 0;
    registered = sem_create(0), go = sem_create(0), opened = sem_create(0);
    call = sem_create(0), called = sem_create(0), leave = sem_create(0);
    inspect_counts = portal_open("inspect.counts"), inspect_check = portal_open("inspect.check");
    for (int n = 0; n < DOMAINS; n++) {
        asids[n] = domain_fork(0);
        if (asids[n] == 0)
            exit(child(n));
        if (asids[n] < 0)
            return printf("domain %d: %s\n", n, pebble_strerror(asids[n])), 1;
    }
    all(wait, registered, DOMAINS);
    all(post, go, DOMAINS);
    all(wait, opened, DOMAINS);
    invoke_portal(inspect_counts, &with);
    bad |= !all_holds(inspect_check, "all at once");
    all(post, call, DOMAINS * THREADS);
    all(wait, called, DOMAINS * THREADS);
    all(post, leave, DOMAINS * THREADS);
    for (int n = 0; n < DOMAINS; n++) {
        int result = failed ? domain_kill(asids[n]) : 0;
        if (result < 0 || domain_wait(asids[n], &status) < 0 || status != 0)
            bad |= printf("domain %d: status %d\n", n, status) > 0;
    }
    bad |= !all_holds(inspect_check, "all at once");
    if (failed || bad || with.domains < DOMAINS || with.threads < DOMAINS * THREADS || with.code_bytes <= REGION)
        return printf("%lu domains, %lu threads, %lu bytes of portal code\n", with.domains, with.threads, with.code_bytes), 1;
    printf("%d domains, %d portals, %d threads: every call came out right\n", DOMAINS, DOMAINS * PORTALS, DOMAINS * THREADS);
    return 0;
}
