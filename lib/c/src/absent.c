/* What POSIX has and Pebble has not, for programs that ask and can do without: second names of files, users beside one, libraries that are loaded. */
#include "files.h"
#include <dlfcn.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

int link(const char *from, const char *to)
{
    (void)from, (void)to;
    return __pebble_failed(-EPERM);
}
int fchown(int fd, uid_t user, gid_t group)
{
    struct stat status;
    (void)user, (void)group;
    return fstat(fd, &status);
}
/* Files have no times. */
int utimes(const char *path, const struct timeval times[2])
{
    struct stat status;
    (void)times;
    return stat(path, &status);
}
int utime(const char *path, const struct utimbuf *times)
{
    (void)times;
    return utimes(path, NULL);
}
int lutimes(const char *path, const struct timeval times[2])
{
    return utimes(path, times);
}
int futimens(int fd, const struct timespec times[2])
{
    struct stat status;
    (void)times;
    return fstat(fd, &status);
}
int futimes(int fd, const struct timeval times[2])
{
    (void)times;
    return futimens(fd, NULL);
}
/* All time is the program's. */
int getrusage(int who, struct rusage *to)
{
    struct timespec now;
    memset(to, 0, sizeof *to);
    if (who != RUSAGE_SELF)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    to->ru_utime = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
static struct passwd only = {.pw_name = "root", .pw_passwd = "", .pw_comment = "", .pw_gecos = "", .pw_dir = "/", .pw_shell = "sh"};
struct passwd *getpwuid(uid_t user)
{
    return user == 0 ? &only : NULL;
}
struct passwd *getpwnam(const char *name)
{
    return strcmp(name, only.pw_name) == 0 ? &only : NULL;
}

static char *why;
void *dlopen(const char *path, int how)
{
    (void)path, (void)how;
    why = "programs are static: no library is loaded";
    return NULL;
}
void *dlsym(void *library, const char *name)
{
    (void)library, (void)name;
    why = "no library was loaded";
    return NULL;
}
int dlclose(void *library)
{
    (void)library;
    why = "no library was loaded";
    return -1;
}
char *dlerror(void)
{
    char *said = why;
    why = NULL;
    return said;
}
