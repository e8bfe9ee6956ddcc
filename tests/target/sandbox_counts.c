// expect stdout inside: 12
// expect stdout status 5, calls seen: 1
#define OWN_INTERCEPT
#include "include/sandbox.h"
/* A domain in a sandbox: each of its portal calls comes here first. */
static int seen[NPORTALS];
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    seen[portal]++;
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
int main(void)
{
    int status;
    portal_notify(opened);
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
