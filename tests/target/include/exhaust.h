/*
 * The frame of a program that takes all there is of something, itself and by its children. It defines `take`, which makes one more
 * and says whether it could, and calls `exhaust` from main: while all is taken, the neighbour must find what its own limits say. With
 * RESOURCE, a number of `abi::account`, it must be that limit of its account's that is reached. TAKERS are its children.
 */
#ifndef EXHAUST_H
#define EXHAUST_H
#include "accounts.h"
#include "once_there.h"
#include <errno.h>

#ifndef TAKERS
#define TAKERS 6
#endif
enum { ENOUGH = 40000 };
static int take(int count);

#ifdef RESOURCE
static int inspect_domain, inspect_account;
/* What `is_full` needs, while there is room for it. */
static void look(void)
{
    inspect_domain = portal_open("inspect.domain");
    inspect_account = portal_open("inspect.account");
}
/* Whether the account of this domain has all that it may have. */
static int is_full(void)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, flags, parent, threads, portals, stacks, identity, account, isolation, within;
    } domain;
    static struct account account;
    if (invoke_portal(inspect_domain, get_asid(), &domain) < 0 || invoke_portal(inspect_account, domain.account, &account) < 0)
        return 0;
    printf("%u of %u are taken\n", account.used[RESOURCE], account.limits[RESOURCE]);
    return account.used[RESOURCE] == account.limits[RESOURCE] && account.used[RESOURCE] > 0;
}
#else
static void look(void) {}
static int is_full(void)
{
    return 1;
}
#endif

static int taken(void)
{
    int count = 0;
    while (count < ENOUGH && take(count))
        count++;
    return count;
}
static int exhaust(const char *what, int least)
{
    int neighbour = once_there("app.work");
    printf("before: %ld\n", invoke_portal(neighbour, 0));
    fflush(stdout);
    look();
    int full = sem_create(0), children[TAKERS], made = 0;
    for (int n = 0; n < TAKERS; n++) {
        int child = domain_fork(NULL);
        if (child == 0) {
            taken();
            sem_post(full);
            hrsleep(~0ull >> 2);
        }
        if (child < 0)
            break;
        children[made++] = child;
        sem_wait(full);
    }
    int own = taken(), wrong = 0;
    if (!is_full()) {
        printf("the limit of %s is not what was reached\n", what);
        wrong = 4;
    }
    for (int round = 1; round < 4; round++) {
        word missing = invoke_portal(neighbour, round);
        if (missing != 0) {
            printf("the neighbour misses %ld\n", missing);
            wrong = 1;
        }
    }
    /* What children have taken comes back with their end. */
    int status;
    for (int n = 0; n < made; n++)
        if (domain_kill(children[n]) < 0 || domain_wait(children[n], &status) < 0)
            wrong = 2;
    int again = taken();
    if (own + again < least) {
        printf("only %d and %d %s (the last error: %d)\n", own, again, what, errno);
        wrong = 3;
    }
    printf("all taken\n");
    return wrong;
}
#endif
