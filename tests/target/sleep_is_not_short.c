// expect stdout slept long enough
#include <pebble.h>
#include <time.h>
int main(void)
{
    struct timespec before, after, wanted = {0, 30000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&wanted, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long ns = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    printf("%s\n", ns >= 30000000 && ns < 3000000000l ? "slept long enough" : "wrong");
    return 0;
}
