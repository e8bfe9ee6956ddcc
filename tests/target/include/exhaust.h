/*
 * The frame of a program that takes all there is of something, itself and by its children. It defines `take`, which makes one more
 * and says whether it could, and calls `exhaust` from main: while all is taken, the neighbour must find what its own limits say.
 */
#ifndef EXHAUST_H
#define EXHAUST_H
#include <pebble.h>

enum { TAKERS = 6, ENOUGH = 40000 };
static int take(int count);

static int taken(void)
{
    int count = 0;
    while (count < ENOUGH && take(count))
        count++;
    return count;
}
static int exhaust(const char *what, int least)
{
    int neighbour;
    for (int n = 0; (neighbour = portal_open("app.work")) < 0 && n < 100; n++)
        hrsleep(1000000);
    printf("before: %ld\n", invoke_portal(neighbour, 0));
    fflush(stdout);
    int full = sem_create(0), children[TAKERS], made = 0;
    for (int n = 0; n < TAKERS; n++) {
        int child = domain_fork(NULL);
        if (child == 0) {
            taken();
            sem_post(full);
            hrsleep(~0ull >> 2);
        }
        if (child < 0)
            break;
        children[made++] = child;
        sem_wait(full);
    }
    int own = taken(), wrong = 0;
    for (int round = 1; round < 4; round++) {
        word missing = invoke_portal(neighbour, round);
        if (missing != 0) {
            printf("the neighbour misses %ld\n", missing);
            wrong = 1;
        }
    }
    /* What children have taken comes back with their end. */
    int status;
    for (int n = 0; n < made; n++)
        if (domain_kill(children[n]) < 0 || domain_wait(children[n], &status) < 0)
            wrong = 2;
    int again = taken();
    if (own + again < least) {
        printf("only %d and %d %s\n", own, again, what);
        wrong = 3;
    }
    printf("all taken\n");
    return wrong;
}
#endif
