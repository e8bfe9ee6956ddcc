// on strict
// slices 3
// timeout 30
// expect stdout 400 rounds of 5 threads were served, by no more than 2 stacks more than each server had
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>
/* Threads of one account call two servers that have one stack each. One that finds none may be given its account's reserve and find the stack in the queue
   again when it makes its call: its reserve is none that a return takes out of the queue then, none for calls of the other server, and another thread's as soon as that needs it. A thread
   that has made all of its calls keeps nothing that the others wait for. The idle ones are there because it takes the longer to see that none of an
   account is served the more it has, and more happens meanwhile. A server has one stack more for the account then, and one that was made while that one
   was coming back, however long this goes on. */
enum { ROUNDS = 400, MORE = 2, THREADS = 5, IDLE = 40, CALLS = 2 };
static int go, served, portals[2];

static word serve(word value)
{
    for (volatile int n = 0; n < 300; n++)
        ;
    return value + 1;
}
/* Where a return counts those who wait for its stack. */
static word global_pointer(void)
{
    word value;
    __asm__ volatile("mv %0, gp" : "=r"(value));
    return value;
}
static void client(void *number)
{
    for (;;) {
        sem_wait(go);
        for (long n = 0; n < CALLS + (long)number % 3; n++) {
            word result = invoke_portal(portals[n % 2], n), left = global_pointer();
            if (result != n + 1 || left != 0)
                exit(printf("%ld, not %ld, and %ld in gp\n", result, n + 1, left));
        }
        sem_post(served);
    }
}
static void idles(void *never)
{
    sem_wait((int)(long)never);
}
/* How many stacks there are for calls of domain `asid`. */
static unsigned long stacks(int asid)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, flags, parent, threads, portals, stacks, identity, account, isolation, within;
    } domain;
    return invoke_portal(portal_open("inspect.domain"), (word)asid, &domain) < 0 ? 99 : domain.stacks;
}
int main(void)
{
    int registered = sem_create(0), servers[2];
    unsigned long had[2];
    for (int n = 0; n < 2; n++) {
        const char *name = n ? "app.other" : "app.one";
        if ((servers[n] = domain_fork(0)) == 0) {
            if (portal_register(name, "npi", serve, 0, 1) < 0)
                return 1;
            sem_post(registered);
            sem_wait(sem_create(0));
        }
        sem_wait(registered);
        portals[n] = portal_open(name);
        had[n] = stacks(servers[n]);
    }
    long never = sem_create(0);
    for (int n = 0; n < IDLE; n++)
        if (thread_create(idles, (void *)never, -1) < 0)
            return 3;
    go = sem_create(0), served = sem_create(0);
    for (long n = 0; n < THREADS; n++)
        if (thread_create(client, (void *)n, -1) < 0)
            return 2;
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < THREADS; n++)
            sem_post(go);
        for (int n = 0; n < THREADS; n++)
            sem_wait(served);
    }
    for (int n = 0; n < 2; n++) {
        unsigned long now = stacks(servers[n]);
        if (now > had[n] + MORE)
            return printf("%lu stacks, after %lu\n", now, had[n]), 4;
        domain_kill(servers[n]);
    }
    printf("%d rounds of %d threads were served, by no more than %d stacks more than each server had\n", ROUNDS, THREADS, MORE);
    return 0;
}
