// timeout 120
#include "include/hostile.h"

/* Domains that share one portal table, each with two threads that open, close, call, make semaphores, copy themselves into the table and out of it, and end at any
   moment, in the calls of each other and of the server too. A number that one has leads to the same in all or nowhere; what the last one leaves is nothing; who is no
   part of the table sees none of it. */
enum { MEMBERS = 4, SERVED = 7, GRANTED = 9 };
static int round_of, outside;

static word serve(word what)
{
    if (what == 2)
        hrsleep(20000);
    return SERVED;
}
static word granted(word constant, word p) { return GRANTED + constant + p; }
/* Grants its caller a portal. */
static word grants(void)
{
    static _Alignas(256) unsigned long request[32];
    request[0] = 1, request[1] = 0, request[2] = 5;
    strcpy((char *)&request[3], "npci");
    request[5] = (unsigned long)granted;
    return invoke_portal(30, request);
}
static int serves(void)
{
    portal_register("app.shared", "npi", serve, 0, 2);
    portal_register("app.grants", "np", grants, 0, 1);
    sem_post(outside);
    thread_exit();
}
static unsigned drawn(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}
/* What a number answers that leads to the server, to what it has granted, to what grants that (a number), to nothing, or to a semaphore that the ring has made. */
static int is_known(word result)
{
    return result == SERVED || result == GRANTED + 5 + 2 || (result >= 32 && result < 512) || result == 0 || (result < 0 && result > -400);
}
static volatile int wrong;
static void member(void *seed)
{
    unsigned state = (unsigned)(word)seed;
    int first = outside + 1;
    for (int n = 0; n < 40; n++) {
        int number = first + drawn(&state) % 12, status;
        switch (drawn(&state) % 10) {
        case 0: case 1: portal_open("app.shared"); break;
        case 2: portal_close(number); break;
        case 3: {
            int grant = portal_open("app.grants");
            if (grant > 0)
                invoke_portal(grant), portal_close(grant);
            break;
        }
        case 4: sem_create(3); break;
        case 5: sem_destroy(number); break;
        case 6: {
            int child = domain_fork(drawn(&state) % 2 ? SHARE_PORTALS : 0);
            if (child == 0)
                exit(0);
            if (child > 0 && drawn(&state) % 2)
                domain_kill(child);
            if (child > 0)
                domain_wait(child, &status);
            break;
        }
        case 7: yield(); break;
        default: wrong |= number != outside && !is_known(invoke_portal(number, 2l));
        }
        if (wrong)
            exit(9);
    }
}
static int lives(int seed)
{
    int status, mine[MEMBERS];
    for (int n = 0; n < MEMBERS; n++) {
        mine[n] = domain_fork(SHARE_PORTALS);
        if (mine[n] == 0) {
            int thread = thread_create(member, (void *)(word)(seed * 31 + n), -1);
            member((void *)(word)(seed * 17 + n));
            if (thread > 0 && n % 2)
                thread_join(thread);
            exit(0); /* in the other's call, where it was not waited for */
        }
    }
    if (seed % 3 == 0 && mine[0] > 0)
        domain_kill(mine[0]);
    int worst = 0;
    for (int n = 0; n < MEMBERS; n++)
        if (mine[n] > 0 && domain_wait(mine[n], &status) == 0 && status == 9)
            worst = 9;
    /* What they have opened this one has, and can close: then there is nothing. */
    for (int number = outside + 1; number < 512; number++)
        portal_close(number);
    int open = portal_open("app.shared");
    return worst ? worst : open == outside + 1 ? 0 : 8;
}
static int attack(void)
{
    outside = sem_create(0);
    int server = domain_fork(0), status;
    if (server == 0)
        serves();
    sem_wait(outside);
    outside++; /* its V is the last number that all have from the start */
    for (round_of = 0; round_of < hostile_rounds(12); round_of++) {
        int ring = domain_fork(0);
        if (ring == 0)
            exit(lives(round_of + 1));
        wall(1, ring > 0 && domain_wait(ring, &status) == 0);
        wall(2, status == 0);
    }
    /* Nothing of what they had is in this table. */
    wall(3, portal_close(outside + 1) == -EPORTAL);
    wall(4, domain_kill(server) == 0 && domain_wait(server, &status) == 0);
    return 0;
}
