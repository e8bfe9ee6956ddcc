/* What POSIX asks of a process, of a domain: there are no users and no groups. */
#include "files.h"
#include <pthread.h>
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
/* -1: it is not told. */
static long memory(int which)
{
    word pages = __pebble_memory(which);
    return pages < 0 ? -1 : pages;
}
long sysconf(int name)
{
    switch (name) {
    case _SC_PAGESIZE: return PAGE;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_OPEN_MAX: return NPORTALS / 4;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    case _SC_ARG_MAX: return PAGE;
    case _SC_CHILD_MAX: return 255;
    case _SC_NGROUPS_MAX: return 0;
    case _SC_TZNAME_MAX: return 10;
    case _SC_STREAM_MAX: return NPORTALS / 4;
    case _SC_IOV_MAX: return 1024;
    case _SC_HOST_NAME_MAX: return 63;
    case _SC_LINE_MAX: return 2048;
    case _SC_ATEXIT_MAX: return 32;
    case _SC_SEM_VALUE_MAX: return INT32_MAX;
    case _SC_THREAD_KEYS_MAX: return PTHREAD_KEYS_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS: return 4;
    case _SC_THREAD_STACK_MIN: return 2 * PAGE;
    case _SC_SYMLOOP_MAX: return 40;
    case _SC_RE_DUP_MAX: return 255;
    case _SC_LOGIN_NAME_MAX: return sizeof "root";
    case _SC_TTY_NAME_MAX: return NAMELEN;
    case _SC_V7_LP64_OFF64: return 1;
    case _SC_PHYS_PAGES: return memory(0);
    case _SC_AVPHYS_PAGES: return memory(1);
    /* Of the options that can be had or not, those that there are. */
    case _SC_VERSION:
    case _SC_CPUTIME:
    case _SC_THREAD_CPUTIME:
    case _SC_FSYNC:
    case _SC_MAPPED_FILES:
    case _SC_THREADS:
    case _SC_THREAD_ATTR_STACKSIZE:
    case _SC_THREAD_PROCESS_SHARED:
    case _SC_READER_WRITER_LOCKS:
    case _SC_TIMEOUTS:
    case _SC_REGEXP:
    case _SC_SPAWN:
    case _SC_IPV6:
    case _SC_CLOCK_SELECTION:
    case _SC_SEMAPHORES:
    case _SC_MONOTONIC_CLOCK: return 200809;
    /* All other names have no limit, or are of what is not there. */
    default:
        if (name < 0 || name > _SC_LEVEL4_CACHE_LINESIZE)
            errno = EINVAL;
        return -1;
    }
}
int getpagesize(void)
{
    return PAGE;
}
