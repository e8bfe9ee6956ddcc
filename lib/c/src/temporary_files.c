/* Names of files that nobody has yet, and such files. In the place of picolibc's, whose names (as of 1.8) are the same each time. */
#include "random.h"
#include "streams.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 6, TRIES = 1000 };
static void name(char *places)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t left = __pebble_unlike_others();
    for (int n = 0; n < PLACES; n++, left /= sizeof letters - 1)
        places[n] = letters[left % (sizeof letters - 1)];
}
/* Puts names in the place of six X in front of the last `suffix` bytes until `make` has made something of that name; < 0: an error. */
static int made(char *path, int suffix, int (*make)(const char *path, int flags), int flags)
{
    char *places = path + strlen(path) - suffix - PLACES;
    if (suffix < 0 || places < path || memcmp(places, "XXXXXX", PLACES) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int n = 0; n < TRIES; n++) {
        name(places);
        int result = make(path, flags);
        if (result >= 0 || errno != EEXIST)
            return result;
    }
    return -1;
}
static int make_file(const char *path, int flags)
{
    return open(path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
}
static int make_folder(const char *path, int flags)
{
    (void)flags;
    return mkdir(path, 0700);
}
static int make_name(const char *path, int flags)
{
    struct stat status;
    (void)flags;
    if (stat(path, &status) < 0)
        return 0;
    errno = EEXIST;
    return -1;
}
int mkostemps(char *path, int suffix, int flags)
{
    return made(path, suffix, make_file, flags);
}
int mkstemps(char *path, int suffix)
{
    return mkostemps(path, suffix, 0);
}
int mkostemp(char *path, int flags)
{
    return mkostemps(path, 0, flags);
}
int mkstemp(char *path)
{
    return mkostemps(path, 0, 0);
}
char *mkdtemp(char *path)
{
    return made(path, 0, make_folder, 0) < 0 ? NULL : path;
}
char *mktemp(char *path)
{
    if (made(path, 0, make_name, 0) < 0)
        *path = 0;
    return path;
}
char *tmpnam(char *to)
{
    static char own[L_tmpnam];
    char path[] = "/tmp/XXXXXX";
    if (made(path, 0, make_name, 0) < 0)
        return NULL;
    return strcpy(to ? to : own, path);
}
FILE *tmpfile(void)
{
    char path[] = "/tmp/XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    unlink(path);
    FILE *file = fdopen(fd, "w+");
    if (!file)
        close(fd);
    return file;
}
