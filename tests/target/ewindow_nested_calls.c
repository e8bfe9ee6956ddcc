// expect stdout eight pages each: 3 calls in one another, then EWINDOW; seven: 4; one: 31 or EDEPTH
// expect stdout another thread's window is what it was, in each of 200 looks
/* Calls within calls, each with a window: a thread has 31 pages for all of them, and none of the thread's whose slots come next. */
#include <errno.h>
#include <pebble.h>
#include <stdio.h>

enum { PAGE = 4096, PAGES = 8, LOOKS = 200 };
static _Alignas(PAGE) char pages[PAGES * PAGE];
static _Alignas(PAGE) char own[PAGE] = "its own";
static int next, registered, inside, look, looked, waits;

/* Calls the other domain with the window that it was called with: how deep that came, or what else it ended with. */
static word nests(const char *window, long bytes, word depth)
{
    word result = invoke_portal(next, window, bytes, depth + 1);
    return result == -EWINDOW ? depth : result;
}
static word shows(const char *window)
{
    sem_post(inside);
    for (int n = 0; n < LOOKS; n++) {
        sem_wait(look);
        if (strcmp(window, "its own") != 0)
            return n;
        sem_post(looked);
    }
    return LOOKS;
}
static int serve(const char *name, const char *other)
{
    if (portal_register(name, "nmRii", nests, 0, 20) < 0)
        return 1;
    sem_post(registered);
    while ((next = portal_open(other)) < 0)
        yield();
    sem_post(registered);
    return sem_wait(sem_create(0));
}
static word seen;
static void neighbour(void *unused)
{
    (void)unused;
    seen = invoke_portal(waits, own);
}
static int serves_windows(void)
{
    if (portal_register("app.shows", "nmr", shows, 0, 1) < 0)
        return 1;
    sem_post(registered);
    return sem_wait(sem_create(0));
}
/* Calls until no window is left; the neighbour's thread was made right after the one that makes them. */
static word depths[4];
static void deep(void *unused)
{
    (void)unused;
    sem_wait(inside);
    for (int n = 0; n < LOOKS; n++) {
        int count[] = {8, 7, 1, 8};
        depths[n % 4] = invoke_portal(next, pages, count[n % 4] * (long)PAGE, 1l);
        sem_post(look);
        if (n + 1 < LOOKS)
            sem_wait(looked);
    }
}
int main(void)
{
    registered = sem_create(0), inside = sem_create(0), look = sem_create(0), looked = sem_create(0);
    int servers[3];
    if ((servers[0] = domain_fork(0)) == 0)
        return serve("app.a", "app.b");
    if ((servers[1] = domain_fork(0)) == 0)
        return serve("app.b", "app.a");
    if ((servers[2] = domain_fork(0)) == 0)
        return serves_windows();
    for (int n = 0; n < 5; n++)
        sem_wait(registered);
    next = portal_open("app.a"), waits = portal_open("app.shows");
    int threads[] = {thread_create(deep, 0, -1), thread_create(neighbour, 0, -1)};
    thread_join(threads[0]), thread_join(threads[1]);
    for (int n = 0; n < 3; n++)
        domain_kill(servers[n]);
    printf("eight pages each: %ld calls in one another, then EWINDOW; seven: %ld; one: %s\n", depths[0], depths[1],
           depths[2] == 31 || depths[2] == -EDEPTH ? "31 or EDEPTH" : pebble_strerror(depths[2]));
    printf("another thread's window is what it was, in %s of %d looks\n", seen == LOOKS ? "each" : "some", LOOKS);
    return 0;
}
