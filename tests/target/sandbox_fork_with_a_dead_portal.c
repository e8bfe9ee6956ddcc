// expect stdout the copies ended with 1
// expect stdout nothing that should not be
/* A domain in a sandbox has a portal whose server has died, and forks: the copy has it too, and leaves nothing when it ends. */
#include "include/all_holds.h"
#include "include/sandbox.h"

static word forty_two(void) { return 42; }

int main(void)
{
    int check = portal_open("inspect.check"), status, dead = sem_create(0), right = sem_create(0);
    /* Its parent, which is not the one that interposes, makes portal 400 of the inner domain, and ends. */
    portal_notify(opened);
    child = domain_fork(intercept);
    if (child == 0) {
        int inner = domain_fork(0);
        if (inner == 0) {
            sem_wait(dead);
            int copy = domain_fork(0);
            if (copy == 0)
                exit(invoke_portal(400) == -EDEAD);
            domain_wait(copy, &status);
            if (status == 1 && invoke_portal(400) == -EDEAD)
                sem_post(right);
            exit(0);
        }
        if (portal_create_child(inner, 400, "nm", 0, forty_two))
            printf("no portal 400\n");
        exit(0);
    }
    domain_wait(child, &status);
    sem_post(dead);
    /* Nobody else could post what this one would wait for. */
    hrsleep(300000000);
    printf("the copies ended with %d\n", sem_trywait(right) == 0);
    if (all_holds(check, "at the end"))
        printf("nothing that should not be\n");
    return 0;
}
