// system replaced
// icount 2
// expect stdout a file: kept
// expect stdout a thread: 42
// expect stdout a call: 5
// expect stdout a child that ended with 7, and one that store faults ended: 15
// expect stdout the clock goes on
// expect stdout names that were refused: 1
// expect stdout the year 2001, and again after the clock was killed: 2001
// expect stdout who sleeps now and then has its share
/* The same as in `servers_by_other_names`, of systems in which other programs stand in the places of servers; and what these programs do
   otherwise: the name server counts what it refuses, the clock has a date of its own, and is started again as the usual one is, and the scheduler
   gives the hart to who has run least. */
#include "include/servers.h"
#include <string.h>

static int year(void)
{
    time_t now = time(0);
    return now < 0 ? -1 : gmtime(&now)->tm_year + 1900;
}
static int refused(void)
{
    static int portal;
    if (!portal)
        portal = portal_open("names.refused");
    return invoke_portal(portal);
}
static int kill_clock(void)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, others[9];
    } domain;
    int inspect = portal_open("inspect.domain"), destroy = portal_open("domain.destroy");
    for (int number = 1; number < 100; number++)
        if (invoke_portal(inspect, number, &domain) >= 0 && !strcmp(domain.name, "clock"))
            return invoke_portal(destroy, number);
    return -1;
}

static volatile unsigned long done[2];
static volatile int over;
static void work(int who, unsigned long rounds)
{
    for (unsigned long n = 0; n < rounds && !over; n++)
        done[who]++;
}
static void computes(void *unused)
{
    (void)unused;
    work(0, -1ul);
}
/* Half a slice each time, and a sleep that is as good as none. Where who wakes waits for the end of another's slice, it has a third of the hart
   at most. */
static void sleeps(void *rounds)
{
    while (!over) {
        work(1, (unsigned long)rounds);
        hrsleep(1000);
    }
}
static unsigned long share(void)
{
    clock_t start = clock();
    while (clock() - start < CLOCKS_PER_SEC / 400)
        work(0, 1000);
    unsigned long rounds = done[0];
    done[0] = 0;
    thread_create(computes, 0, 5);
    thread_create(sleeps, (void *)rounds, 5);
    hrsleep(40000000);
    over = 1;
    return done[1] * 100 / (done[0] + done[1]);
}

int main(void)
{
    int result = ask_all_servers();
    if (result)
        return result;
    int before = refused();
    if (portal_open("nobody.may") != -EACCESS)
        return 10;
    printf("names that were refused: %d\n", refused() - before);

    int first = year(), again = -1;
    if (kill_clock() < 0)
        return 11;
    for (int n = 0; n < 2000 && again < 0; n++) {
        hrsleep(10000000);
        again = year();
    }
    printf("the year %d, and again after the clock was killed: %d\n", first, again);
    unsigned long percent = share();
    if (percent < 40)
        printf("%lu percent\n", percent);
    printf("who sleeps now and then has %s\n", percent < 40 ? "less" : "its share");
    return 0;
}
