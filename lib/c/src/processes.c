/* What POSIX asks of a process, of a domain: there are no users and no groups, and children are domains. */
#include "system.h"
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
gid_t getgid(void) { return 0; }
gid_t getegid(void) { return 0; }

int usleep(useconds_t microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000l};
    return nanosleep(&time, NULL);
}
/* Of one child: none can be waited for without naming it. A child that was stopped for a fault, or killed, looks like one that
   SIGKILL ended. */
pid_t waitpid(pid_t pid, int *status, int options)
{
    int ended, result = pid <= 0 || options != 0 ? -EINVAL : domain_wait(pid, &ended);
    if (result < 0) {
        errno = result == -EINVAL ? EINVAL : ECHILD;
        return -1;
    }
    if (status)
        *status = ended < 0 ? 9 : (ended & 0xff) << 8;
    return pid;
}
int uname(struct utsname *name)
{
    *name = (struct utsname){"Pebble", "pebble", "0", "0", "riscv64"};
    return 0;
}
long sysconf(int name)
{
    switch (name) {
    case _SC_PAGESIZE: return PAGE;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_OPEN_MAX: return NPORTALS / 4;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    default: errno = EINVAL; return -1;
    }
}
int getpagesize(void)
{
    return PAGE;
}
