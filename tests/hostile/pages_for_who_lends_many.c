// ways plain touch slices strict strict-touch
/* Not in a sandbox: its calls have six words, and a routine that interposes gets five beside the portal's number. */
/* A domain lends more pages at a time than one thread has windows. What is asked about the lent ones has no end then, and still: what a
   server gives it comes, a copy of it can be made, and a page that is lent is not given away. */
#include "include/hostile.h"

enum { PAGE = 4096, BUFFER = 8 * PAGE, THREADS = 4 };
static _Alignas(4096) char lent[3 * BUFFER], pages[2 * PAGE];
static int ready, inside, leave;

static word hold(char *one, long first, char *two, long second, char *three, long third)
{
    (void)one, (void)two, (void)three;
    sem_post(inside);
    sem_wait(leave);
    return first + second + third;
}
static word fetch(char *there, long bytes)
{
    memset(there, 's', bytes);
    return bytes;
}
static word take(char *there, long bytes)
{
    (void)bytes;
    return there[0];
}
static void lends(void *portal)
{
    invoke_portal((int)(long)portal, lent, (long)BUFFER, lent + BUFFER, (long)BUFFER, lent + 2 * BUFFER, (long)BUFFER);
}
static int attack(void)
{
    ready = sem_create(0), inside = sem_create(0), leave = sem_create(0);
    int status, threads[THREADS], server = domain_fork(0);
    if (server == 0) {
        if (portal_register("app.hold", "nmRiRiRi", hold, 0, THREADS) || portal_register("app.fetch", "nm<i", fetch, 0, 2)
            || portal_register("app.take", "nm>i", take, 0, 0))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    memset(lent, 'l', sizeof lent);
    memset(pages, 'p', sizeof pages);
    int holds = portal_open("app.hold"), fetches = portal_open("app.fetch"), takes = portal_open("app.take");
    for (int n = 0; n < THREADS; n++) {
        threads[n] = thread_create(lends, (void *)(long)holds, -1);
        sem_wait(inside);
    }
    wall(1, invoke_portal(fetches, pages, (long)sizeof pages) == sizeof pages && pages[PAGE] == 's');
    wall(2, invoke_portal(takes, lent, (long)PAGE) == -EBUSY);
    wall(3, invoke_portal(fetches, lent, (long)PAGE) == -EBUSY && lent[0] == 'l');
    int child = domain_fork(0);
    if (child == 0)
        exit(lent[0] == 'l' && pages[0] == 's' ? 0 : 1);
    wall(4, child > 0 && domain_wait(child, &status) == 0 && status == 0);
    for (int n = 0; n < THREADS; n++)
        sem_post(leave);
    for (int n = 0; n < THREADS; n++)
        thread_join(threads[n]);
    wall(5, invoke_portal(takes, lent, (long)PAGE) == 'l');
    domain_kill(server);
    domain_wait(server, &status);
    return 0;
}
