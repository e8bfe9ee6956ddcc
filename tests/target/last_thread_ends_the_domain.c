// expect stdout the last one
#include <pebble.h>
static void last(void *argument)
{
    (void)argument;
    hrsleep(1000000);
    printf("the last one\n");
}
int main(void)
{
    thread_create(last, 0, -1);
    thread_exit();
}
