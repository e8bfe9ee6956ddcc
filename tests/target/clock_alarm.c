// expect stdout the year is plausible
// expect stdout the alarm came in time
#include <pebble.h>
#include <time.h>
int main(void)
{
    time_t now = time(0);
    printf("the year is %s\n", now > 1700000000 && now < 4000000000 ? "plausible" : "wrong");
    int alarm = portal_open("clock.alarm"), clock = portal_open("clock.time");
    word wanted = invoke_portal(clock) + 50000000;
    if (invoke_portal(alarm, wanted) != 0)
        return 1;
    word late = invoke_portal(clock) - wanted;
    printf("the alarm came %s\n", late >= 0 && late < 1000000000 ? "in time" : "wrong");
    return 0;
}
