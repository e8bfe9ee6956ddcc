// timeout 120
/* Sandboxes in sandboxes, as deep as their calls go. The outermost domain is killed, or dies by itself, or gives up a number that all of them have, or opens
   others, for which those inside get stubs of another kind: each domain inside ends, or its number leads where it is to, and the portal manager does that without going as deep as they are. */
#include "include/hostile.h"

enum { KILLED, FAULTS, CLOSES, OPENS, WAYS, MOST = 60, AT_LEAST = 4 };
static int ready, go, never, done, levels, way, number;

static word pass(word portal, word a, word b, word c, word d, word e)
{
    return invoke_portal(portal, (word)a, (word)b, (word)c, (word)d, (word)e);
}
enum { NAMES = 4 };
static const char *const names[NAMES] = {"app.inside.1", "app.inside.2", "app.inside.3", "app.inside.4"};
static const char *const specifications[NAMES] = {"nfi", "npr", "smiii", "npwi"};
static word answer(word value) { return value + 1; }
static void stop(void)
{
    *(volatile char *)8 = 0;
}
/* Whoever is at `level` makes another inside, if it can be heard from there. */
static void inside(int level)
{
    if (sem_trywait(never) != -EAGAIN || sem_post(levels) < 0)
        stop();
    int child = level < MOST ? domain_fork(pass) : -EBUSY;
    if (child == 0)
        inside(level + 1);
    if (child > 0 && level == 0) {
        sem_wait(go);
        if (way == OPENS)
            for (int n = 0; n < NAMES; n++)
                portal_open(names[n]);
        if (way == CLOSES)
            exit(portal_close(number) || sem_post(done) || sem_wait(never));
        if (way == OPENS)
            exit(sem_post(ready) || sem_wait(never));
        stop();
    }
    /* Only the innermost comes past this: it could make none, or that one could not call anybody. */
    if (child > 0)
        domain_wait(child, NULL);
    if (sem_post(ready) < 0)
        stop();
    if (way == CLOSES && sem_wait(done) == 0 && invoke_portal(number, 41l) == -EPORTAL)
        sem_post(ready);
    sem_wait(never);
    stop();
}
static int attack(void)
{
    ready = sem_create(0), go = sem_create(0), never = sem_create(0), done = sem_create(0), levels = sem_create(0);
    portal_register("app.inside", "nmi", answer, 0, 4);
    for (int n = 0; n < NAMES; n++)
        portal_register(names[n], specifications[n], answer, 0, 0);
    for (int round = 0; round < hostile_rounds(24); round++)
        for (way = 0; way < WAYS; way++) {
            int outermost = domain_fork(0), made = 0;
            if (outermost == 0) {
                number = portal_open("app.inside");
                inside(0);
            }
            wall(1, outermost > 0);
            wall(2, sem_wait(ready) == 0);
            if (way != KILLED)
                sem_post(go);
            if (way == CLOSES || way == OPENS)
                wall(3, sem_wait(ready) == 0);
            if (way != FAULTS)
                domain_kill(outermost);
            wall(4, domain_wait(outermost, NULL) == 0);
            while (sem_trywait(levels) == 0)
                made++;
            wall(5, hostile_depth > 0 || made >= AT_LEAST);
        }
    return 0;
}
