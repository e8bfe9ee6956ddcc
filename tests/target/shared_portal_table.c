// expect stdout two domains, one table
// expect stdout what the child opens, the parent has: 42
// expect stdout what the parent closes, the child has no more: 1
// expect stdout a semaphore of the child's: 1
// expect stdout the parent's own portal, from both: 43 43
// expect stdout a copy is another's: 1
// expect stdout a grandchild shares with all: 42 42
// expect stdout told of what the other opens: 1
// expect stdout the child ends, and its portals stay: 42
// expect stdout withdrawn from one, gone for the other: the other side died
// expect stdout a portal that would act for both: Not supported
/* domain_fork(SHARE_PORTALS): parent and child have one portal table. */
#include <pebble.h>

static word answer(void) { return 42; }
static word own(void) { return 43; }
static int done, next, never, withdraw;
/* The child says numbers through a portal: its memory is another. */
static volatile word said;
static word say(word value)
{
    said = value;
    sem_post(done);
    sem_wait(next);
    return said;
}
static word heard(void)
{
    sem_wait(done);
    return said;
}
/* The child goes on, with this. */
static void go(word with)
{
    said = with;
    sem_post(next);
}
static volatile int told;
static int notify(int asid, int portal, char *spec)
{
    (void)spec;
    told = asid == get_asid() ? portal : -1;
    return 0;
}
static void child(int says)
{
    word closed = invoke_portal(says, portal_open("app.answer"));
    invoke_portal(says, invoke_portal(closed) == -EPORTAL);
    int semaphore = sem_create(0);
    invoke_portal(says, semaphore);
    invoke_portal(says, sem_wait(semaphore) == 0);
    int portal = portal_open("app.own");
    invoke_portal(says, portal);
    invoke_portal(says, invoke_portal(portal));
    int status, copy = domain_fork(0);
    if (copy == 0) {
        int mine = portal_open("app.answer");
        exit(invoke_portal(mine) == 42 ? mine : 0);
    }
    domain_wait(copy, &status);
    invoke_portal(says, status);
    int grandchild = domain_fork(SHARE_PORTALS);
    if (grandchild == 0)
        exit(portal_open("app.answer"));
    domain_wait(grandchild, &status);
    invoke_portal(says, invoke_portal(status) == 42 ? status : -1);
    invoke_portal(says, portal_open("app.answer"));
    exit(portal_open("app.answer"));
}
int main(void)
{
    int status;
    /* The console is open from here on: no number is taken for it where one has just become free. */
    printf("two domains, one table\n");
    done = sem_create(0), next = sem_create(0), never = sem_create(0), withdraw = sem_create(0);
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.answer", "np", answer, 0, 2);
        sem_post(done);
        sem_wait(withdraw);
        portal_withdraw("app.answer", 0);
        sem_post(done);
        sem_wait(never);
    }
    sem_wait(done);
    portal_register("app.say", "nmi", say, 0, 2);
    portal_register("app.own", "nm", own, 0, 0);
    int says = portal_open("app.say");
    int shares = domain_fork(SHARE_PORTALS);
    if (shares == 0)
        child(says);
    int opened = heard();
    printf("what the child opens, the parent has: %ld\n", invoke_portal(opened));
    portal_close(opened);
    go(opened);
    printf("what the parent closes, the child has no more: %d\n", heard() == 1 && invoke_portal(opened) == -EPORTAL);
    go(0);
    sem_post(heard());
    go(0);
    printf("a semaphore of the child's: %ld\n", heard());
    go(0);
    word mine = invoke_portal(heard());
    go(0);
    printf("the parent's own portal, from both: %ld %ld\n", mine, heard());
    go(0);
    int copys = heard();
    printf("a copy is another's: %d\n", copys > 0 && invoke_portal(copys) == -EPORTAL);
    go(0);
    int grandchilds = heard();
    printf("a grandchild shares with all: %d %ld\n", grandchilds > 0 ? 42 : 0, invoke_portal(grandchilds));
    portal_notify(notify);
    go(0);
    opened = heard();
    printf("told of what the other opens: %d\n", told == opened);
    portal_notify(0);
    int rejected = portal_create_child(shares, 200, "sm", 0, own);
    go(0);
    domain_wait(shares, &status);
    printf("the child ends, and its portals stay: %ld\n", invoke_portal(status));
    int last = domain_fork(SHARE_PORTALS);
    if (last == 0) {
        opened = portal_open("app.answer");
        sem_post(done);
        sem_wait(never);
    }
    sem_wait(done);
    sem_post(withdraw);
    sem_wait(done);
    printf("withdrawn from one, gone for the other: %s\n", pebble_strerror(invoke_portal(status)));
    printf("a portal that would act for both: %s\n", pebble_strerror(rejected));
    return 0;
}
