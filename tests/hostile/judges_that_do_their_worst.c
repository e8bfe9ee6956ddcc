// timeout 120
/* A portal that is asked who may open a name does its worst while it is asked, in sandboxes too: it dies, ends who opens or who has it asked, opens the name
   itself, gives up the question, and names what it may not. Whoever opens gets an answer, nobody else notices, and nothing is left. */
#include "include/hostile.h"

enum { ADMITS, DIES, ENDS_OPENER, ENDS_SERVER, OPENS, CHANGES, UNREGISTERS, EXITS_THREAD, FORKS, WAYS, DEPTH = 40 };
static int ready, never, go, way, depths, ask_portal;
static word judge(word client, word identity, word token)
{
    (void)identity;
    int child;
    switch (token) {
    case DIES: return *(volatile char *)8;
    case ENDS_OPENER: domain_kill(client); return 0;
    case ENDS_SERVER: exit(0);
    case OPENS: return ++depths > DEPTH ? -EBUSY : (child = portal_open("app.asked")) < 0 ? child : 0;
    case CHANGES: return portal_ask("app.asked", ask_portal, ADMITS) < 0 ? -EBUSY : 0;
    case UNREGISTERS: portal_unregister("app.asked"); return 0;
    case EXITS_THREAD: thread_exit();
    case FORKS:
        child = domain_fork(0);
        if (child == 0)
            exit(0);
        return child < 0 ? child : 0;
    default: return 0;
    }
}
static word answer(word value) { return value + 1; }
/* What way `way` comes to for who opens. */
static int opens(void)
{
    int portal = portal_open("app.asked");
    return portal < 0 ? -portal : invoke_portal(portal, 41l) == 42 ? 0 : 99;
}
static int one(void)
{
    int status = 0, server = domain_fork(0);
    if (server == 0) {
        portal_register("app.judge", "npiii", judge, 0, 8);
        ask_portal = portal_open("app.judge");
        int asked = portal_register_asked("app.asked", "nmi", answer, 0, 0, ask_portal, way);
        sem_post(ready);
        exit(asked == 0 && sem_wait(never) == 0);
    }
    if (server < 0)
        return 98;
    sem_wait(ready);
    int opener = domain_fork(0);
    if (opener == 0)
        exit(opens());
    if (opener < 0 || domain_wait(opener, &status) < 0)
        status = 97;
    domain_kill(server);
    domain_wait(server, 0);
    return status;
}
/* Two that share a portal table open and close at once, while others copy it, share it, are put in a sandbox with it, and die. */
static word intercept(word number, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(number, p1, p2, p3, p4, p5);
}
static int changes(int rounds)
{
    for (int n = 0; n < rounds; n++) {
        int portal = portal_open("app.plain"), semaphore = sem_create(0);
        if (portal > 0 && invoke_portal(portal, 41l) != 42)
            return 1;
        if (semaphore > 0 && (sem_post(semaphore) || sem_trywait(semaphore)))
            return 2;
        int status = 0, how = n % 4, child = how == 3 ? 0 : domain_fork(how == 0 ? SHARE_PORTALS : how == 1 ? 0 : intercept);
        if (child == 0 && how != 3) {
            /* Where both have one table, the number may soon be another's. */
            if (how != 0)
                portal_close(portal);
            sem_create(0);
            if (n % 8 < 4)
                *(volatile char *)8 = 0;
            exit(0);
        }
        if (child > 0 && n % 3)
            domain_kill(child);
        if (child > 0)
            domain_wait(child, &status);
        portal_close(portal);
        if (semaphore > 0)
            sem_destroy(semaphore);
    }
    return 0;
}
static int shared(void)
{
    int status = 0, others[3];
    for (int n = 0; n < 3; n++) {
        others[n] = domain_fork(SHARE_PORTALS);
        if (others[n] == 0)
            exit(changes(hostile_rounds(24)));
        wall(30, others[n] > 0);
    }
    int own = changes(hostile_rounds(24));
    domain_kill(others[1]);
    for (int n = 0; n < 3; n++) {
        wall(31, domain_wait(others[n], &status) == 0);
        wall(32, status == 0 || (n == 1 && status == -EDEAD));
    }
    return own;
}
static int attack(void)
{
    ready = sem_create(0), never = sem_create(0), go = sem_create(0);
    portal_register("app.plain", "nmi", answer, 0, 8);
    int probe = portal_open("app.plain");
    int asks = portal_register_asked("app.probe", "nmi", answer, 0, 0, probe, 0);
    wall(1, asks == 0);
    static const int expected[WAYS] = {[DIES] = EDEAD, [ENDS_SERVER] = EDEAD, [CHANGES] = EAGAIN, [UNREGISTERS] = ENOENT, [EXITS_THREAD] = EDEAD};
    for (int round = 0; round < hostile_rounds(8); round++)
        for (way = 0; way < WAYS; way++) {
            int got = one();
            wall(10 + way, way == OPENS ? got == EDEPTH || got == EBUSY || got == ENOSTACK || got == 0 : got == expected[way]);
        }
    int child = domain_fork(0), status = 0;
    if (child == 0)
        exit(shared());
    wall(40, domain_wait(child, &status) == 0 && status == 0);
    /* Withdrawn in the middle of calls, and by the dead. */
    for (int n = 0; n < hostile_rounds(8); n++) {
        int server = domain_fork(0);
        if (server == 0) {
            portal_register("app.gone", "nmi", answer, 0, 2);
            sem_post(ready);
            sem_wait(go);
            portal_withdraw("app.gone", 0);
            sem_post(ready);
            sem_wait(never);
        }
        sem_wait(ready);
        int portal = portal_open("app.gone");
        wall(41, invoke_portal(portal, 41l) == 42);
        sem_post(go);
        sem_wait(ready);
        wall(42, invoke_portal(portal, 41l) == -EDEAD);
        wall(43, portal_close(portal) == 0);
        domain_kill(server);
        domain_wait(server, 0);
    }
    return 0;
}
