/* What POSIX asks of a process, of a domain: there are no users and no groups. */
#include "system.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
gid_t getgid(void) { return 0; }
gid_t getegid(void) { return 0; }
/* Nobody is told whose child a domain is, and there are no groups of them: each is alone in its own. */
pid_t getppid(void) { return 1; }
pid_t getpgrp(void) { return get_asid(); }
pid_t getpgid(pid_t pid) { return pid ? pid : get_asid(); }
pid_t setsid(void) { return get_asid(); }
pid_t getsid(pid_t pid) { return getpgid(pid); }
int setpgrp(void) { return 0; }
int setpgid(pid_t pid, pid_t group)
{
    if (!group || group == getpgid(pid))
        return 0;
    errno = EPERM;
    return -1;
}
int getgroups(int count, gid_t groups[])
{
    (void)count, (void)groups;
    return 0;
}
/* Who runs has the terminal. */
pid_t tcgetpgrp(int fd) { return isatty(fd) ? get_asid() : -1; }
int tcsetpgrp(int fd, pid_t group)
{
    (void)group;
    return isatty(fd) ? 0 : -1;
}
int killpg(pid_t group, int number) { return kill(group ? group : get_asid(), number); }
/* Who may do what is said by the manifest. */
mode_t umask(mode_t mask)
{
    (void)mask;
    return 0;
}

int usleep(useconds_t microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000l};
    return nanosleep(&time, NULL);
}
int uname(struct utsname *name)
{
    *name = (struct utsname){"Pebble", "pebble", "0", "0", "riscv64"};
    return 0;
}
int gethostname(char *name, size_t size)
{
    static const char own[] = "pebble";
    if (size < sizeof own) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(name, own);
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
