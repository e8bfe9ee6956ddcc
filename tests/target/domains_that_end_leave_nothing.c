// timeout 240
// sample 5
#include <pebble.h>
/* Domains that make threads, semaphores, names and portals, are called while they end, and end in every way. What the
   portal manager and the memory manager have of everything is counted before and after. The first argument: one in how many
   of the 10,000 is made. */
enum { CYCLES = 10000, WARM = 600 };
enum way { RETURN, EXIT, FAULT, KILLED_INSIDE, KILLED_WAITED_FOR, SANDBOX, WAYS };

static const char *const names[] = {"domains", "zombies", "ended", "registrations", "blocks", "code bytes", "retired",
    "users", "semaphores", "stacks", "descriptors", "threads", "free threads", "free frames", "promised frames"};
enum { COUNTS = sizeof names / sizeof *names };
typedef struct { _Alignas(128) unsigned long counts[COUNTS]; } counts;

static int ready, never, inside, start[2], done, portal, way, more;
static word results[2];
_Alignas(4096) static char buffer[4096];

/* The child's entry point: ends the child, or is in it when it is ended. */
static word serve(char *window, word cycle)
{
    window[0] = cycle;
    switch (way) {
    case RETURN: return 1;
    case EXIT: exit(7);
    case FAULT: *(volatile int *)8 = 1; return 0;
    }
    sem_post(inside);
    sem_wait(never);
    return 0;
}
static void nothing(void *argument) { (void)argument; }
static void child(void)
{
    portal_register("app.leak", "npwi", serve, 0, 1);
    if (more == 0 || more == 2) {
        int own = sem_create(1);
        int thread = thread_create(nothing, 0, -1);
        sem_wait(own);
        thread_join(thread);
    }
    if (more == 1 || more == 2) {
        portal_register("app.other", "npcr", serve, &(word){5}, 0);
        portal_open("app.other");
        if (way == EXIT)
            portal_unregister("app.other");
    }
    sem_post(ready);
    sem_wait(never);
}
/* The parent's threads that call the child. */
static void caller(void *argument)
{
    int n = argument != 0;
    for (;;) {
        sem_wait(start[n]);
        results[n] = invoke_portal(portal, buffer, n);
        sem_post(done);
    }
}
static word intercept(word number, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(number, p1, p2, p3, p4, p5);
}
static int fail(int cycle, const char *what, word got)
{
    printf("cycle %d, way %d: %s %ld\n", cycle, way, what, (long)got);
    return 1;
}
static int once(int cycle)
{
    int status, expected = -EDEAD;
    way = cycle % 64 == 63 ? SANDBOX : cycle % SANDBOX;
    /* What it makes beside its entry point. */
    more = cycle % 4;
    int asid = domain_fork(way == SANDBOX ? intercept : 0);
    if (asid == 0) {
        if (way == SANDBOX)
            exit(sem_post(ready) + 5);
        child();
        exit(1);
    }
    if (asid < 0)
        return fail(cycle, "domain_fork", asid);
    sem_wait(ready);
    if (way == SANDBOX)
        return domain_wait(asid, &status) || status != 5 ? fail(cycle, "sandbox", status) : 0;
    portal = portal_open("app.leak");
    if (portal < 0)
        return fail(cycle, "portal_open", portal);
    sem_post(start[0]);
    int callers = 1;
    if (way == KILLED_INSIDE || way == KILLED_WAITED_FOR)
        sem_wait(inside);
    if (way == KILLED_WAITED_FOR) {
        /* There is one stack, so this one waits for it. */
        sem_post(start[1]);
        callers = 2;
        yield();
    }
    if (way == RETURN || way >= KILLED_INSIDE) {
        if (way == RETURN)
            sem_wait(done), callers = 0;
        domain_kill(asid);
    }
    for (int n = 0; n < callers; n++)
        sem_wait(done);
    for (int n = 0; n < callers; n++)
        if (results[n] != -EDEAD)
            return fail(cycle, "the call returned", results[n]);
    if (way == RETURN && (results[0] != 1 || buffer[0] != 0))
        return fail(cycle, "the call returned", results[0]);
    int waited = domain_wait(asid, &status);
    if (way == EXIT)
        expected = 7;
    if (way == FAULT)
        expected = -15;
    if (waited != 0 || status != expected)
        return fail(cycle, "domain_wait", waited ? waited : status);
    if (portal_close(portal) != 0)
        return fail(cycle, "portal_close", 0);
    return 0;
}
int main(int argc, char **argv)
{
    static counts before, after;
    int share = argc > 1 ? atoi(argv[1]) : 1, cycles = CYCLES / share;
    int count = portal_open("inspect.counts");
    ready = sem_create(0), never = sem_create(0), inside = sem_create(0), done = sem_create(0);
    for (int n = 0; n < 2; n++) {
        start[n] = sem_create(0);
        thread_create(caller, (void *)(word)n, -1);
    }
    /* Tables that grow once, like that of the threads. */
    int threads[16];
    for (int n = 0; n < 16; n++)
        threads[n] = thread_create(nothing, 0, 0);
    for (int n = 0; n < 16; n++)
        thread_join(threads[n]);
    /* And those by domain: each number is given out before it is given out again, of 512. */
    for (int cycle = 0; cycle < WARM; cycle++)
        if (once(cycle))
            return 1;
    if (invoke_portal(count, &before) != 0 || invoke_portal(count, &before) != 0)
        return 2;
    for (int cycle = 0; cycle < cycles; cycle++)
        if (once(cycle))
            return 1;
    /* The last thread may still be on its way out. */
    for (int tries = 0; tries < 100; tries++) {
        invoke_portal(count, &after);
        if (memcmp(before.counts, after.counts, sizeof before.counts) == 0)
            break;
        hrsleep(10000000);
    }
    int differ = 0;
    for (int n = 0; n < COUNTS; n++)
        if (before.counts[n] != after.counts[n]) {
            printf("%s: %lu before, %lu after\n", names[n], before.counts[n], after.counts[n]);
            differ = 3;
        }
    if (!differ)
        printf("%d domains have left nothing\none in %d was tried\n", cycles, share);
    return differ;
}
