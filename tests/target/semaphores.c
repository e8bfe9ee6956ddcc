// expect stdout trywait on 0: -11
// expect stdout trywait on 1: 0
// expect stdout timedwait: -116
// expect stdout timedwait 0: -116
// expect stdout on a bad number: no such portal
#include <pebble.h>
int main(void)
{
    int sem = sem_create(0);
    printf("trywait on 0: %d\n", sem_trywait(sem));
    sem_post(sem);
    printf("trywait on 1: %d\n", sem_trywait(sem));
    printf("timedwait: %d\n", sem_timedwait(sem, 100000));
    printf("timedwait 0: %d\n", sem_timedwait(sem, 0));
    printf("on a bad number: %s\n", pebble_strerror(sem_wait(500)));
    if (sem_destroy(sem) != 0 || sem_wait(sem) != -EPORTAL)
        return 1;
    if (sem_create(-1) != -EINVAL)
        return 2;
    for (int i = 0; i < 2000; i++) {
        int s = sem_create(1);
        if (s < 0 || sem_wait(s) != 0 || sem_destroy(s) != 0)
            return 3;
    }
    return 0;
}
