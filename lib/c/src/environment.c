/* Variables of the environment, in the place of picolibc's, which (as of 1.8) takes names that are none, and copies what putenv is given. */
#include "system.h"
#include <sys/lock.h>

extern char **environ;
/* What the list was allocated as; and of its strings, those that setenv has made. */
static char **owned_list, **owned;
static size_t room, owned_count;

static void lock(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
}
static void unlock(void)
{
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
static int is_name(const char *name)
{
    return name && *name && !strchr(name, '=');
}
static char **find(const char *name, size_t length)
{
    for (char **at = environ; at && *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return at;
    return NULL;
}
char *getenv(const char *name)
{
    size_t length = strlen(name);
    lock();
    char **at = find(name, length);
    char *value = at ? *at + length + 1 : NULL;
    unlock();
    return value;
}
/* Frees what setenv has made. */
static void discard(char *text)
{
    for (size_t n = 0; n < owned_count; n++)
        if (owned[n] == text) {
            owned[n] = owned[--owned_count];
            free(text);
            return;
        }
}
/* Room in the list for one more than it has. */
static int grow(void)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    if (environ == owned_list && count + 2 <= room)
        return 0;
    size_t larger = 2 * count + 8;
    char **moved = realloc(environ == owned_list ? owned_list : NULL, larger * sizeof *moved);
    if (!moved)
        return -1;
    if (environ != owned_list) {
        free(owned_list);
        memcpy(moved, environ, count * sizeof *moved);
    }
    moved[count] = NULL;
    environ = owned_list = moved;
    room = larger;
    return 0;
}
/* The lock is held: `text` is in the list from now on, in the place of what has its name. */
static int put(char *text, size_t length)
{
    char **at = find(text, length);
    if (at) {
        char *before = *at;
        *at = text;
        if (before != text)
            discard(before);
        return 0;
    }
    if (grow() < 0)
        return -1;
    for (at = environ; *at; at++)
        ;
    *at++ = text;
    *at = NULL;
    return 0;
}
int setenv(const char *name, const char *value, int overwrite)
{
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    size_t length = strlen(name), bytes = length + strlen(value) + 2;
    lock();
    int result = 0;
    if (overwrite || !find(name, length)) {
        char *text = malloc(bytes), **list = realloc(owned, (owned_count + 1) * sizeof *list);
        owned = list ? list : owned;
        if (text)
            snprintf(text, bytes, "%s=%s", name, value);
        result = text && list ? put(text, length) : -1;
        if (result < 0)
            free(text);
        else
            owned[owned_count++] = text;
    }
    unlock();
    return result;
}
int unsetenv(const char *name)
{
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    lock();
    for (char **at; (at = find(name, strlen(name)));) {
        discard(*at);
        for (; *at; at++)
            *at = at[1];
    }
    unlock();
    return 0;
}
/* The string itself is the variable; without an equals sign the name is taken out, as in glibc. */
int putenv(char *text)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return unsetenv(text);
    lock();
    int result = put(text, equals - text);
    unlock();
    return result;
}
int clearenv(void)
{
    lock();
    static char *none[1];
    for (char **at = environ; at && *at; at++)
        discard(*at);
    environ = none;
    unlock();
    return 0;
}
