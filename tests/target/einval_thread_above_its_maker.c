// expect stdout above: -22
// expect stdout equal: made
// expect stdout 64: -22
#include <pebble.h>
static void body(void *argument)
{
    (void)argument;
}
int main(void)
{
    set_priority(10);
    printf("above: %d\n", thread_create(body, 0, 11));
    printf("equal: %s\n", thread_create(body, 0, 10) > 0 ? "made" : "refused");
    printf("64: %d\n", thread_create(body, 0, 64));
    return 0;
}
