// timeout 60
// ways plain touch slices strict strict-touch
/* Not in a sandbox: a call that comes through a stub is never answered with portals (`portal.grant` ends with EINVAL), so a server there
   has no table to fill. */
/* Servers that give portals without end to who calls them: at some number they get EMFILE, the client can still open what it wants, and
   what they gave keeps no number from the client when they have died. */
#include "include/hostile.h"
#include "include/grant.h"

enum { SERVERS = 4, ONE = 128, ALL = 256 };
static word answer(word constant)
{
    return constant;
}
/* Gives as many as it can; how many, and -1000 times what the next one was refused with. */
static word fill(void)
{
    int given = 0, result;
    grant.constant = 42;
    while ((result = give_portals(4, "npc", answer)) > 0)
        given += 4;
    return given - 1000 * result;
}
static int attack(void)
{
    int ready = sem_create(0), servers[SERVERS], status, first = 0;
    for (int round = 0; round < 3; round++) {
        for (int n = 0; n < SERVERS; n++) {
            servers[n] = domain_fork(0);
            if (servers[n] == 0) {
                char name[NAMELEN];
                snprintf(name, sizeof name, "app.grants.%d", n);
                int failed = portal_register(name, "np", fill, 0, 1);
                sem_post(ready);
                sem_wait(sem_create(failed));
            }
            wall(1, servers[n] > 0);
        }
        long given = 0;
        for (int n = 0; n < SERVERS; n++)
            sem_wait(ready);
        for (int n = 0; n < SERVERS; n++) {
            char name[NAMELEN];
            snprintf(name, sizeof name, "app.grants.%d", n);
            int portal = portal_open(name);
            wall(2, portal > 0);
            word result = invoke_portal(portal);
            wall(3, result / 1000 == 24 && result % 1000 <= ONE);
            given += result % 1000;
            wall(4, portal_close(portal) == 0);
        }
        wall(5, given <= ALL && given >= ALL - 4);
        for (int n = 0; n < SERVERS; n++)
            wall(6, domain_kill(servers[n]) == 0 && domain_wait(servers[n], &status) == 0);
        /* As many as ever can be opened; those of the dead are in nobody's way. */
        static int made[512];
        int count = 0, semaphore;
        while ((semaphore = sem_create(0)) > 0)
            made[count++] = semaphore;
        wall(7, semaphore == -ENFILE);
        if (first == 0)
            first = count;
        wall(8, count > 150 && count == first);
        while (count)
            wall(9, sem_destroy(made[--count]) == 0);
    }
    return 0;
}
