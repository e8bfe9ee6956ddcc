/* Writes lines for good, and looks at no result, as most programs do not; with an argument SIGPIPE is the one's that says so. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void over(int signal)
{
    _Exit(signal);
}
int main(int argc, char **argv)
{
    if (argc > 1)
        signal(SIGPIPE, over);
    for (;;)
        puts("y");
}
