// expect stdout order: high low
// expect stdout raising above one's own: -22
#include <pebble.h>
static char order[64];
static int go;
static void high(void *argument)
{
    (void)argument;
    sem_wait(go);
    strcat(order, " high");
}
static void low(void *argument)
{
    (void)argument;
    sem_wait(go);
    strcat(order, " low");
}
int main(void)
{
    go = sem_create(0);
    int b = thread_create(low, 0, 5), a = thread_create(high, 0, 10);
    hrsleep(1000000);
    set_priority(3);
    sem_post(go);
    sem_post(go);
    thread_join(a);
    thread_join(b);
    printf("order:%s\n", order);
    printf("raising above one's own: %d\n", set_priority(60));
    return 0;
}
