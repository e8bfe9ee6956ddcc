/* glob: the pattern's parts between slashes one after the other, each compared with the names of the folder that the ones before it have
   led to. It is as deep as folders are in each other. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The longest path. */
enum { PATH = 1024 };
struct search {
    glob_t *found;
    int flags, (*failed)(const char *, int);
    char path[PATH];
};

/* A power of two, so that a list that grows is copied seldom. */
static size_t room_for(size_t entries)
{
    size_t room = 8;
    while (room < entries)
        room *= 2;
    return room;
}
static int add(struct search *search, const char *path)
{
    glob_t *found = search->found;
    size_t used = found->gl_offs + found->gl_pathc + 1;
    char *copy = strdup(path);
    char **list = found->gl_pathv;
    if (copy && (!list || room_for(used + 1) != room_for(used)))
        list = realloc(list, room_for(used + 1) * sizeof *list);
    if (!copy || !list) {
        free(copy);
        return GLOB_NOSPACE;
    }
    if (!found->gl_pathv)
        memset(list, 0, found->gl_offs * sizeof *list);
    found->gl_pathv = list;
    list[used - 1] = copy;
    list[used] = NULL;
    found->gl_pathc++;
    return 0;
}
/* The path is whole: it is one that matches, if there is such a file. */
static int whole(struct search *search, size_t length)
{
    struct stat status;
    if (stat(search->path, &status) < 0)
        return 0;
    if (search->flags & GLOB_MARK && S_ISDIR(status.st_mode) && length > 0 && search->path[length - 1] != '/' && length + 1 < PATH)
        strcpy(search->path + length, "/");
    int result = add(search, search->path);
    search->path[length] = 0;
    return result;
}
/* A folder can not be read. What is none, or is gone, has no names that match. */
static int unreadable(struct search *search, const char *path, int error)
{
    if (error == ENOTDIR || error == ENOENT)
        return 0;
    return (search->failed && search->failed(path, error)) || search->flags & GLOB_ERR ? GLOB_ABORTED : 0;
}
static int expand(struct search *search, size_t length, const char *rest);

/* Goes on with each name of the folder that the path is which matches `part`. */
static int in_folder(struct search *search, size_t length, const char *part, const char *rest)
{
    const char *folder = length ? search->path : ".";
    int flags = FNM_PERIOD | (search->flags & GLOB_NOESCAPE ? FNM_NOESCAPE : 0), result = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return unreadable(search, folder, errno);
    errno = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(directory)); errno = 0) {
        size_t name = strlen(entry->d_name);
        if (fnmatch(part, entry->d_name, flags) != 0 || length + name >= PATH)
            continue;
        strcpy(search->path + length, entry->d_name);
        result = expand(search, length + name, rest);
        search->path[length] = 0;
    }
    if (result == 0 && errno)
        result = unreadable(search, folder, errno);
    closedir(directory);
    return result;
}
/* Appends a part that is a name; the path's length then, 0: it is too long. */
static size_t append(struct search *search, size_t length, const char *part, size_t bytes)
{
    for (size_t n = 0; n < bytes; n++) {
        n += !(search->flags & GLOB_NOESCAPE) && part[n] == '\\' && n + 1 < bytes;
        if (length + 1 >= PATH)
            return 0;
        search->path[length++] = part[n];
    }
    search->path[length] = 0;
    return length;
}
/* The path, of `length` bytes, is as far as the pattern has matched; `rest` of it is left. */
static int expand(struct search *search, size_t length, const char *rest)
{
    size_t start = length;
    int result = 0;
    while (*rest) {
        size_t slashes = strspn(rest, "/"), bytes = strcspn(rest + slashes, "/");
        const char *part = rest + slashes;
        rest = part + bytes;
        if (slashes && !(length = append(search, length, part - slashes, slashes)))
            break;
        if (strcspn(part, "*?[") < bytes) {
            char *pattern = strndup(part, bytes);
            result = pattern ? in_folder(search, length, pattern, rest) : GLOB_NOSPACE;
            free(pattern);
            search->path[start] = 0;
            return result;
        }
        if (bytes && !(length = append(search, length, part, bytes)))
            break;
    }
    if (length)
        result = whole(search, length);
    search->path[start] = 0;
    return result;
}
static int by_name(const void *a, const void *b)
{
    return strcoll(*(char *const *)a, *(char *const *)b);
}
int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict found)
{
    if (!(flags & GLOB_DOOFFS))
        found->gl_offs = 0;
    if (!(flags & GLOB_APPEND)) {
        found->gl_pathc = 0;
        found->gl_pathv = NULL;
    }
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return GLOB_NOSPACE;
    *search = (struct search){.found = found, .flags = flags, .failed = failed};
    size_t before = found->gl_pathc;
    int result = *pattern ? expand(search, 0, pattern) : 0;
    if (result == 0 && found->gl_pathc == before)
        result = flags & GLOB_NOCHECK ? add(search, pattern) : GLOB_NOMATCH;
    else if (result == 0 && !(flags & GLOB_NOSORT))
        qsort(found->gl_pathv + found->gl_offs + before, found->gl_pathc - before, sizeof *found->gl_pathv, by_name);
    free(search);
    return result;
}
void globfree(glob_t *found)
{
    for (size_t n = 0; found->gl_pathv && n < found->gl_pathc; n++)
        free(found->gl_pathv[found->gl_offs + n]);
    free(found->gl_pathv);
    found->gl_pathv = NULL;
    found->gl_pathc = 0;
}
