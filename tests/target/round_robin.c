// expect stdout both ran
#include <pebble.h>
static volatile long count[2];
static void spin(void *argument)
{
    for (;;)
        count[(long)argument]++;
}
int main(void)
{
    thread_create(spin, (void *)0, 5);
    thread_create(spin, (void *)1, 5);
    for (int i = 0; i < 1000 && (count[0] == 0 || count[1] == 0); i++)
        hrsleep(20000000);
    printf("%s\n", count[0] > 0 && count[1] > 0 ? "both ran" : "one starved");
    return 0;
}
