/* It takes a signal from its second call on. */
#include <pebble.h>
#include <signal.h>

static volatile int got;
static void handle(int number) { got = number; }
static word takes(void)
{
    signal(SIGUSR1, handle);
    return get_asid();
}
static word has(void) { return got; }
int main(void)
{
    portal_register("signalled.takes", "np", takes, 0, 1);
    portal_register("signalled.has", "np", has, 0, 1);
    thread_exit();
}
