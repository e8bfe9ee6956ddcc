// expect stdout above the ceiling: -22 -22
// expect stdout 64: -22 -22
// expect stdout -2: -22
// expect stdout order: first maker
// expect stdout up again: 0
// expect stdout a child's: -22 made
#include <pebble.h>
/* The manifest's priority, 20, is the ceiling of a domain's threads: below it each may have any, also above the one that makes it. */
static char order[64];
static void body(void *argument)
{
    strcat(order, argument);
}
int main(void)
{
    set_priority(10);
    printf("above the ceiling: %d %d\n", thread_create(body, "", 21), set_priority(21));
    printf("64: %d %d\n", thread_create(body, "", 64), set_priority(64));
    printf("-2: %d\n", thread_create(body, "", -2));
    int thread = thread_create(body, " first", 20);
    strcat(order, " maker");
    thread_join(thread);
    printf("order:%s\n", order);
    printf("up again: %d\n", set_priority(20));
    fflush(stdout);
    set_priority(5);
    int child = domain_fork(NULL);
    if (child == 0) {
        printf("a child's: %d %s\n", thread_create(body, "", 21), thread_create(body, "", 20) > 0 ? "made" : "refused");
        exit(0);
    }
    domain_wait(child, NULL);
    return 0;
}
