/* Semaphores: P takes a time-out in ticks, 0 to try, -1 for ever. sem_wait and sem_post are in calls.S. */
#include "system.h"

int sem_create(int value)
{
    return pebble_semaphore_create(value);
}
int sem_trywait(int sem)
{
    return invoke_portal(sem, 0l);
}
int sem_timedwait(int sem, unsigned long long ticks)
{
    if (ticks == 0)
        return sem_trywait(sem) == 0 ? 0 : -ETIMEDOUT;
    return invoke_portal(sem, ticks > INT64_MAX ? INT64_MAX : (word)ticks);
}
int sem_destroy(int sem)
{
    return pebble_semaphore_destroy(sem);
}
