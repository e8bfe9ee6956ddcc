// expect stdout inside both
// expect stdout inner saw 1 exit
// expect stdout outer saw 2 exits
// timeout 60
#define OWN_INTERCEPT
#include "include/sandbox.h"
static int exits, depth;
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    if (portal == SYS_EXIT) {
        exits++;
        if (depth == 1 && exits == 1)
            printf("inner saw 1 exit\n");
        if (depth == 0 && exits == 2)
            printf("outer saw 2 exits\n");
        fflush(stdout);
    }
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static void sandbox(void (*body)(void))
{
    int mine = depth;
    portal_notify(opened);
    child = 0;
    child = domain_fork(intercept);
    if (child == 0) {
        exits = 0;
        depth = mine + 1;
        body();
        exit(0);
    }
}
static void innermost(void)
{
    int sem = sem_create(0), thread = fork();
    if (thread == 0) {
        sem_post(sem);
        thread_exit();
    }
    sem_wait(sem);
    printf("inside both\n");
}
static void middle(void)
{
    sandbox(innermost);
    domain_wait(child, 0);
}
int main(void)
{
    sandbox(middle);
    return domain_wait(child, 0);
}
