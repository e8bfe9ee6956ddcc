// expect stdout inside both
// expect stdout inner saw 1 exit
// expect stdout outer saw 2 exits
// timeout 60
#include <pebble.h>
static int exits, depth;
static volatile int child;
static int intercept(int portal, int p1, int p2, int p3, int p4, int p5)
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
static int new_portal(int asid, int portal, char *spec)
{
    char stub[NAMELEN] = "sm=";
    (void)asid;
    for (char *c = spec + 2, *out = stub + 3; *c; c++)
        if (!strchr("c=tah", *c))
            *out++ = *c;
    /* The child may run before domain_fork returns here. */
    while (!child)
        yield();
    return portal_create_child(child, portal, stub, 0, intercept);
}
static void sandbox(void (*body)(void))
{
    int mine = depth;
    portal_notify(new_portal);
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
