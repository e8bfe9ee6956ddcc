// timeout 120
/* A portal that is asked who may open a name opens that name itself, again and again: each of these waits in the portal manager, all on one service stack. The
   innermost one does what takes most of that: ends its own domain, another, one with domains of protection, copies itself, faults. */
#define HOSTILE_MAY_END
#include "include/hostile.h"

enum { EXITS, KILLS, KILLS_PARTS, FORKS, FAULTS, NOTHING, WAYS, PARTS = 5, MOST = 6, LEVELS = 1000 };
static int way, level, deepest, victim;
static word refused;

static word nothing(void) { return 0; }
DP_MODULE(module, nothing)

/* A child that waits; with domains of protection, each of which was called. */
static int waits(int parts)
{
    int ready = sem_create(0), child = domain_fork(NULL);
    if (child != 0)
        return sem_wait(ready), child;
    for (int n = 0; n < parts; n++) {
        int dp = dp_create("part");
        if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) || dp_call(dp, module, 0, 0))
            break;
    }
    for (sem_post(ready);;)
        hrsleep(1000000000);
}
static word judge(word client, word identity, word token)
{
    (void)client, (void)identity, (void)token;
    if (++level > deepest)
        deepest = level;
    word got = level < LEVELS ? portal_open("app.name") : -ERANGE;
    if (got < 0 && !refused) {
        refused = got;
        int child;
        switch (way) {
        case EXITS: exit(7);
        case KILLS: case KILLS_PARTS: domain_kill(victim); break;
        case FORKS:
            child = domain_fork(NULL);
            if (child == 0)
                exit(0);
            break;
        case FAULTS: return *(volatile char *)8;
        }
    }
    level--;
    return 0;
}
static int asks(void)
{
    victim = way == KILLS || way == KILLS_PARTS ? waits(way == KILLS_PARTS ? PARTS : 0) : 0;
    portal_register("app.judge", "npiii", judge, 0, 60);
    int asked = portal_open("app.judge");
    if (asked < 0 || portal_register_asked("app.name", "npi", nothing, 0, 1, asked, 1) < 0)
        return 3;
    int got = portal_open("app.name");
    /* Those below the innermost have theirs, and it was told what was in the way: the service stack, long before the invocation stack, on which eight nest. */
    return got > 0 && deepest > 1 && deepest < MOST && refused == -EDEPTH ? 0 : 4;
}
static int attack(void)
{
    /* There, a question in a question waits for ever, for whoever asks it alone. */
    if (hostile_depth > 1)
        return 0;
    for (way = 0; way < WAYS; way++) {
        int status = 0, child = domain_fork(NULL);
        if (child == 0)
            exit(asks());
        wall(1, child > 0 && domain_wait(child, &status) >= 0);
        wall(2, way == EXITS || way == FAULTS || status == 0);
    }
    return 0;
}
