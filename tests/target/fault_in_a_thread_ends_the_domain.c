// expect status 126
// expect stderr store page fault at address 0x10
#include <pebble.h>
static void bad(void *argument)
{
    *(volatile int *)argument = 1;
}
int main(void)
{
    int thread = thread_create(bad, (void *)16, -1);
    printf("join %d\n", thread_join(thread));
    return 0;
}
