/* A server: its first thread ends, its domain stays. */
#include <pebble.h>

static word one(void)
{
    return 1;
}
int main(void)
{
    portal_register("app.one", "np", one, 0, 1);
    thread_exit();
}
