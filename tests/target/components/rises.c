/* A component that takes the highest priority that it is given, and says at which it was refused the next: of its main thread, and of who calls. */
#include <pebble.h>

static word highest(void)
{
    int most = -1;
    for (int priority = 0; priority < 64; priority++)
        if (set_priority(priority) == 0)
            most = priority;
    return most;
}
static word own;
static word of_main(void) { return own; }

int main(void)
{
    own = highest();
    portal_register("low.own", "np", of_main, 0, 2);
    portal_register("low.of_caller", "np", highest, 0, 0);
    thread_exit();
}
