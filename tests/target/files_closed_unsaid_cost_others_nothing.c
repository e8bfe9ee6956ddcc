// icount
// timeout 60
// expect stdout a thread above is late by less than a millisecond while 400 files are closed unsaid
// expect stdout and all of them are free again
/* Domains of a low priority end with many files open. What that makes for the files component to do is as much as there were, in
   small steps, and nobody above is kept from running. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

#define MILLISECOND 500000ull
enum { CHILDREN = 8, FILES = 50 };

static volatile unsigned long long latest;
static volatile int stop;
static void watch(void *unused)
{
    (void)unused;
    while (!stop) {
        unsigned long long start = hrtime();
        hrsleep(MILLISECOND / 10);
        unsigned long long late = hrtime() - start - MILLISECOND / 10;
        if (late > latest)
            latest = late;
    }
}
int main(void)
{
    int ready = sem_create(0), end = sem_create(0), children[CHILDREN], status, opened = 0;
    /* All files at once are more than there may be, if any were left of the round before. */
    for (int round = 0; round < 11; round++) {
        for (int n = 0; n < CHILDREN; n++) {
            children[n] = domain_fork(0);
            if (children[n] == 0) {
                int count = 0;
                for (int file = 0; file < FILES; file++)
                    count += open("a", O_RDONLY | O_CREAT, 0644) > 0;
                sem_post(ready);
                set_priority(5);
                sem_wait(end);
                exit(count == FILES ? 0 : 1);
            }
            sem_wait(ready);
        }
        latest = stop = 0;
        int watcher = thread_create(watch, 0, 20);
        hrsleep(MILLISECOND);
        for (int n = 0; n < CHILDREN; n++)
            sem_post(end);
        for (int n = 0; n < CHILDREN; n++) {
            domain_wait(children[n], &status);
            opened += status == 0;
        }
        hrsleep(20 * MILLISECOND);
        stop = 1;
        thread_join(watcher);
        if (latest >= MILLISECOND)
            printf("a thread above is late by %llu ticks\n", latest);
        else if (round == 0)
            printf("a thread above is late by less than a millisecond while %d files are closed unsaid\n", CHILDREN * FILES);
    }
    printf("and %s of them are free again\n", opened == 11 * CHILDREN ? "all" : "not all");
    return 0;
}
