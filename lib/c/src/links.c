/* Symbolic links, which only a disk has. */
#include "paths.h"
#include <sys/stat.h>
#include <unistd.h>

/* On the disk they begin at its root, which is /disk here. */
ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
    char target[LONGEST_PATH] __attribute__((aligned(LONGEST_PATH)));
    struct path p;
    word result = __pebble_take(&p, path);
    if (result < 0)
        return __pebble_failed(result);
    if (__pebble_mount(&p) == MEMORY) {
        struct stat status;
        return stat(path, &status) < 0 ? -1 : __pebble_failed(-EINVAL);
    }
    result = size ? __pebble_call(DISK, READ_LINK, &p, (word)target, sizeof target) : -EINVAL;
    if (result < 0)
        return __pebble_failed(result);
    if (result >= LONGEST_PATH)
        return __pebble_failed(-ENAMETOOLONG);
    size_t before = result && *target == '/' ? sizeof DISK_ROOT - 1 : 0, length = before + (size_t)result;
    if (length > size)
        length = size;
    for (size_t n = 0; n < length; n++)
        to[n] = n < before ? DISK_ROOT[n] : target[n - before];
    return (ssize_t)length;
}
int symlink(const char *target, const char *path)
{
    struct path p, q;
    word result = *target ? __pebble_take(&p, path) : -ENOENT;
    if (result == 0 && __pebble_mount(&p) == MEMORY)
        result = -EPERM;
    if (result == 0 && *target == '/') {
        result = __pebble_take(&q, target);
        if (result == 0 && __pebble_mount(&q) == MEMORY)
            result = -EPERM;
    } else if (result == 0)
        result = copy_name(q.text, target) ? 0 : -ENAMETOOLONG;
    if (result == 0)
        result = __pebble_call(DISK, MAKE_LINK, &q, (word)&p, 0);
    return result < 0 ? __pebble_failed(result) : 0;
}
/* Takes the last name off. What is above the disk's root is that root, since only a link's path gets there. */
static void above(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash && strcmp(path, DISK_ROOT) != 0)
        *slash = 0;
}
/* Goes on from `whole`, which has no links, by the names of `rest`; whether it is longer than there is room, or leads in circles, in errno. */
static int resolve(char *whole, char *rest)
{
    enum { LINKS = 40 };
    char target[LONGEST_PATH];
    for (int links = 0;;) {
        char *name = rest + strspn(rest, "/");
        size_t length = strcspn(name, "/"), there = strlen(whole);
        char *behind = name + length;
        if (!length)
            return 0;
        if (length == 2 && memcmp(name, "..", 2) == 0)
            above(whole);
        else if (length != 1 || *name != '.') {
            if (there + 1 + length >= LONGEST_PATH)
                return __pebble_failed(-ENAMETOOLONG);
            whole[there] = '/';
            memcpy(whole + there + 1, name, length);
            whole[there + 1 + length] = 0;
            ssize_t count = readlink(whole, target, sizeof target);
            if (count >= 0) {
                if (++links > LINKS)
                    return __pebble_failed(-ELOOP);
                if ((size_t)count + strlen(behind) >= LONGEST_PATH)
                    return __pebble_failed(-ENAMETOOLONG);
                memmove(rest + count, behind, strlen(behind) + 1);
                memcpy(rest, target, count);
                whole[*target == '/' ? 0 : there] = 0;
                continue;
            }
            if (errno != EINVAL)
                return -1;
        }
        memmove(rest, behind, strlen(behind) + 1);
    }
}
char *realpath(const char *path, char *to)
{
    char whole[LONGEST_PATH] = "", rest[LONGEST_PATH];
    struct stat status;
    if (stat(path, &status) < 0 || (*path != '/' && !getcwd(whole, sizeof whole)))
        return NULL;
    if (strcmp(whole, "/") == 0)
        *whole = 0;
    if ((size_t)snprintf(rest, sizeof rest, "%s", path) >= sizeof rest) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    if (resolve(whole, rest) < 0)
        return NULL;
    if (!*whole)
        strcpy(whole, "/");
    return to ? strcpy(to, whole) : strdup(whole);
}
