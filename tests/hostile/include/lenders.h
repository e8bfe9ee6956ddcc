/* Threads of several domains that lend pages to a component in supervisor mode, which lends them on, while it fails in all ways and they are killed. */
#ifndef LENDERS_H
#define LENDERS_H

#include "hostile.h"
#include "inside.h"

enum { PAGE = 4096, LENDERS = 3, MARK = 0x40 };
static _Alignas(4096) volatile unsigned char lent[LENDERS][PAGE];
static int lenders_broken, lends_made;

/* In a server of the attacker's: what the window shows does not change but where it is written. */
static word shown(volatile unsigned char *window, word way)
{
    unsigned char first = window[1];
    for (int round = 0; round < 3; round++) {
        for (int at = 2; at < PAGE; at += 61)
            if (window[at] != first)
                sem_post(lenders_broken);
        if (way % 2)
            yield();
    }
    window[0]++;
    if (way == 7)
        thread_exit();
    return way;
}
/* One call: whatever comes of it, the page is what it was but for its first byte. */
static int lends_once(int n, int way, int portal)
{
    volatile unsigned char *page = lent[n];
    for (int at = 0; at < PAGE; at++)
        page[at] = MARK + n;
    const char *name = "app.shown";
    word result = way % 3 ? invoke_portal(portal, page, name, (word)way) : invoke_portal_timed(HOSTILE_TICKS, portal, (word)page, (word)name, way, 0, 0, 0);
    int known = result == way || result == -EDEAD || result == -EPORTAL || (result == -ETIMEDOUT && way % 3 == 0) || (result == -EFAULT && hostile_depth > 1);
    if (!known)
        printf("way %d: %ld\n", way, result);
    for (int at = 1; at < PAGE; at++)
        if (page[at] != MARK + n) {
            printf("way %d: byte %d is %d\n", way, at, page[at]);
            known = 0;
        }
    return !known;
}
static void lends_all(void *number)
{
    int n = (int)(word)number;
    for (unsigned round = n;; round++) {
        int portal = inside("inside.lends");
        if (portal < 0)
            continue;
        /* All but those that never end, which others do. */
        if (lends_once(n, (int)(round * 7 % (WAITS + 1)) - 1, portal))
            sem_post(lenders_broken);
        sem_post(lends_made);
        portal_close(portal);
    }
}
/* Domains that lend, and are killed at any moment; the server that is shown their pages is killed, too. */
static int lend_and_die(int rounds)
{
    int ready = sem_create(0), never = sem_create(0), status;
    lenders_broken = sem_create(0), lends_made = sem_create(0);
    for (int round = 0; round < rounds; round++) {
        int server = domain_fork(0);
        if (server == 0) {
            portal_register("app.shown", "npwi", shown, NULL, 4);
            sem_post(ready);
            sem_wait(never);
        }
        sem_wait(ready);
        int task = domain_fork(0);
        if (task == 0) {
            for (word n = 0; n < LENDERS; n++)
                thread_create(lends_all, (void *)n, -1);
            sem_post(ready);
            sem_wait(never);
        }
        wall(91, server > 0 && task > 0);
        sem_wait(ready);
        /* Some calls later, and a moment. */
        for (int made = 0; made < 3 + round * 7 % 12; made++)
            sem_wait(lends_made);
        hrsleep(3001ull * (round * 37 % 97));
        domain_kill(round % 2 ? task : server);
        hrsleep(1009ull * (round * 31 % 89));
        domain_kill(round % 2 ? server : task);
        wall(92, domain_wait(server, &status) == 0 && status == -EDEAD);
        wall(93, domain_wait(task, &status) == 0 && status == -EDEAD);
        wall(94, sem_trywait(lenders_broken) == -EAGAIN);
    }
    return 0;
}
#endif
