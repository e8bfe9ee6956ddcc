/* fork as POSIX has it: a copy of the domain, which is a child that wait, waitpid and SIGCHLD know. */
#include "processes.h"
#include "system.h"
#include <signal.h>
#include <unistd.h>

pid_t __pebble_fork_process(void)
{
    static const int none[3] = {-1, -1, -1};
    int child = domain_fork(NULL);
    if (child == 0)
        return 0;
    int result = child < 0 ? child : __pebble_watch(child, none);
    if (result >= 0)
        return child;
    if (child > 0)
        domain_kill(child);
    errno = result == -ENOMEM ? ENOMEM : EAGAIN;
    return -1;
}
