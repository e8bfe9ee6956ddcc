// expect stdout 3000 threads came and went
// timeout 60
#include <pebble.h>
static volatile int count;
static void body(void *argument)
{
    (void)argument;
    count++;
}
int main(void)
{
    for (int i = 0; i < 3000; i++) {
        int thread = thread_create(body, 0, -1);
        if (thread < 0 || thread_join(thread) != 0) {
            printf("thread %d: %s\n", i, pebble_strerror(thread));
            return 1;
        }
    }
    printf("%d threads came and went\n", count);
    return 0;
}
