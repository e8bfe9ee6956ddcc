// expect stdout inside: 12
// expect stdout status 5, calls seen: 1
#include <pebble.h>
/* A domain in a sandbox: each of its portal calls comes here first. */
static int seen[NPORTALS];
static volatile int child;
static int intercept(int portal, int p1, int p2, int p3, int p4, int p5)
{
    seen[portal]++;
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
int main(void)
{
    int status;
    portal_notify(new_portal);
    child = domain_fork(intercept);
    if (child == 0) {
        int sem = sem_create(2);
        int taken = 0;
        while (sem_trywait(sem) == 0)
            taken++;
        char *memory = malloc(100000);
        memset(memory, 1, 100000);
        printf("inside: %d%d\n", memory[99999], taken);
        fflush(stdout);
        exit(5);
    }
    domain_wait(child, &status);
    printf("status %d, calls seen: %d\n", status, seen[SYS_EXIT]);
    return 0;
}
