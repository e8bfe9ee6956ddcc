/* Writing to a standard stream that nobody reads any more: most programs do not look at what `printf` says, and would go on for good. */
#include "signals.h"
#include <unistd.h>

/* `raise`, in a program that has to do with signals; so that others have no more than what is done where nobody has said anything. */
int (*__pebble_raise)(int);
int __pebble_stdout_is_broken;

void __pebble_broken_pipe(int fd)
{
    int error = errno;
    /* What stdout holds has nowhere to go, and stdout's lock may be this thread's: nothing waits for it here. */
    __pebble_stdout_is_broken = fd == STDOUT_FILENO;
    if (!__pebble_raise)
        _exit(128 + SIGPIPE);
    __pebble_raise(SIGPIPE);
    __pebble_stdout_is_broken = 0;
    errno = error;
}
