/* A server that is started again whenever it has gone wrong, which it does when it is asked to. Its argument is the name of its portal. */
#include <pebble.h>

static int calls;
static word count(word how)
{
    if (how)
        *(volatile word *)8 = 1; /* a store to where nothing is */
    return ++calls;
}
int main(int argc, char **argv)
{
    if (argc < 2 || portal_register(argv[1], "npi", count, 0, 1) < 0)
        return 1;
    thread_exit();
}
