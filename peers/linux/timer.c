/* How late a sleeper runs that has asked for a point in time: as SCHED_FIFO, on a machine that has nothing else to do. */
#include "bench.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define WAKES 501
/* How long it sleeps, in ns: as in apps/bench/peers.c, and at no fixed distance to the kernel's own ticks. Sleeps that are
   longer than a tick end later, for the tick must be started again. */
#define LEAST 8000
#define RANGE 8000
#define SECOND 1000000000L

static unsigned long nanoseconds(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now), "clock_gettime");
    return now.tv_sec * SECOND + now.tv_nsec;
}
void measure_timer(void)
{
    unsigned long late[WAKES];
    be_realtime(1);
    for (int wake = 0; wake < WAKES; wake++) {
        unsigned long at = nanoseconds() + LEAST + random() % RANGE;
        struct timespec time = {.tv_sec = at / SECOND, .tv_nsec = at % SECOND};
        if ((errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL)) != 0)
            fail("clock_nanosleep");
        late[wake] = nanoseconds() - at;
    }
    be_realtime(0);
    ROW(median(late, WAKES), .table = "peers", .operation = "timer", .measure = "median");
}
