// icount
// expect stdout the wait ended: the other side died
#include <pebble.h>
/* When the child is gone, nobody is left who could post. */
int main(void)
{
    int child = domain_fork(0);
    if (child == 0)
        exit(0);
    printf("the wait ended: %s\n", pebble_strerror(sem_wait(sem_create(0))));
    return 0;
}
