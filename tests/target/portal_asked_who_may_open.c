// expect stdout asked about this domain, with the token: 1
// expect stdout admitted: 42
// expect stdout refused: Device or resource busy
// expect stdout an answer that is no error: not allowed by the manifest
// expect stdout the server asks itself: the other side died
// expect stdout from the start: Device or resource busy, then 42
// expect stdout who was asked is no more: the other side died
// expect stdout nobody is asked any more: 42
// expect stdout open portals go on: 42
/* Who may open a name says a portal that is asked at each open: the server's own, or another component's. */
#include <pebble.h>

static word answer(void) { return 42; }

/* The judge: a component of its own, which serves whoever has its portal. */
static word verdict, last_client, last_identity, last_token;
static word judge(word client, word identity, word token)
{
    last_client = client, last_identity = identity, last_token = token;
    return verdict;
}
static word set_verdict(word value) { return verdict = value; }
static word asked_right(word client, word token)
{
    return last_client == client && (last_identity & 0xffff) == client && last_identity >> 16 != 0 && last_token == token;
}
static int done, never, next;
static void judging(void)
{
    portal_register("app.judge", "npiii", judge, 0, 2);
    portal_register("app.verdict", "npi", set_verdict, 0, 0);
    portal_register("app.asked", "npii", asked_right, 0, 0);
    sem_post(done);
    sem_wait(never);
}
static word refuses_itself(word client) { return client ? -EDEAD : 0; }

static void serving(void)
{
    int portal = portal_open("app.judge");
    portal_register("app.answer", "np", answer, 0, 2);
    portal_ask("app.answer", portal, 77);
    sem_post(done);
    sem_wait(next);
    portal_register("app.own", "nmi", refuses_itself, 0, 0);
    portal_register_asked("app.itself", "np", answer, 0, 0, portal_open("app.own"), 0);
    portal_register_asked("app.first", "np", answer, 0, 0, portal, 5);
    sem_post(done);
    sem_wait(next);
    portal_admit_all("app.answer");
    sem_post(done);
    sem_wait(never);
}
static int start(void (*body)(void))
{
    int child = domain_fork(0);
    if (child == 0)
        body();
    sem_wait(done);
    return child;
}
int main(void)
{
    int status;
    done = sem_create(0), never = sem_create(0), next = sem_create(0);
    int judges = start(judging);
    start(serving);
    int decide = portal_open("app.verdict");
    int portal = portal_open("app.answer");
    printf("asked about this domain, with the token: %ld\n", invoke_portal(portal_open("app.asked"), get_asid(), 77));
    printf("admitted: %ld\n", invoke_portal(portal));
    invoke_portal(decide, -EBUSY);
    printf("refused: %s\n", pebble_strerror(portal_open("app.answer")));
    invoke_portal(decide, 1);
    printf("an answer that is no error: %s\n", pebble_strerror(portal_open("app.answer")));
    sem_post(next);
    sem_wait(done);
    printf("the server asks itself: %s\n", pebble_strerror(portal_open("app.itself")));
    invoke_portal(decide, -EBUSY);
    printf("from the start: %s, then ", pebble_strerror(portal_open("app.first")));
    invoke_portal(decide, 0);
    printf("%ld\n", invoke_portal(portal_open("app.first")));
    domain_kill(judges);
    domain_wait(judges, &status);
    printf("who was asked is no more: %s\n", pebble_strerror(portal_open("app.answer")));
    sem_post(next);
    sem_wait(done);
    printf("nobody is asked any more: %ld\n", invoke_portal(portal_open("app.answer")));
    printf("open portals go on: %ld\n", invoke_portal(portal));
    return 0;
}
