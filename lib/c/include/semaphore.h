/* POSIX's semaphores. pebble.h has the system's by the same names: in a file that includes both, they are those of the header that comes last. */
#ifndef PEBBLE_SEMAPHORE_H
#define PEBBLE_SEMAPHORE_H
#include <sys/types.h>
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int value;     /* less than 0: so many wait */
    int semaphore; /* the system's, made when somebody waits */
} sem_t;
#define SEM_VALUE_MAX 0x7fffffff
#define SEM_FAILED ((sem_t *)0)

#undef sem_wait
#undef sem_post
#undef sem_trywait
#undef sem_timedwait
#undef sem_destroy
#define sem_init __pebble_sem_init
#define sem_destroy __pebble_sem_destroy
#define sem_wait __pebble_sem_wait
#define sem_trywait __pebble_sem_trywait
#define sem_timedwait __pebble_sem_timedwait
#define sem_post __pebble_sem_post
#define sem_getvalue __pebble_sem_getvalue
#define sem_open __pebble_sem_open
#define sem_close __pebble_sem_close
#define sem_unlink __pebble_sem_unlink
/* ENOSYS where it is to be shared with another process. */
int sem_init(sem_t *semaphore, int shared, unsigned value);
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *__restrict semaphore, const struct timespec *__restrict until);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *__restrict semaphore, int *__restrict value);
/* There are none by a name: ENOSYS. */
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *semaphore);
int sem_unlink(const char *name);

#ifdef __cplusplus
}
#endif
#endif
