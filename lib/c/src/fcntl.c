/* What is asked for by descriptor: flags, and locks on files.

   A lock on all of a file (flock) is the descriptor's, and of all that share its position. A lock on a range (fcntl, lockf) is the
   process's, whichever descriptor it was taken by, and goes when any descriptor of the file is closed. So the library opens a file that such
   a lock is taken on once more, for the locks alone, and what it has there is the process's; a copy of the domain gives its up. */
#include "files.h"
#include "internet.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ticks after which a lock is asked for again, where too many wait for the files component to let one more do so. */
#define LATER 20000

/* A file with locks on ranges of it. */
struct locker {
    struct locker *next;
    uint64_t node;
    int file;
};
static struct locker *lockers;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int failed(word result)
{
    return __pebble_failed(result == -EPORTAL ? -EBADF : result);
}
static void close_locker(struct locker **place)
{
    struct locker *gone = *place;
    *place = gone->next;
    __pebble_close(gone->file);
    free(gone);
}
/* In a copy of the domain: its parent has the locks. */
static void in_copy(void)
{
    while (lockers)
        close_locker(&lockers);
    pthread_mutex_init(&guard, NULL);
}
static struct locker **find(uint64_t node)
{
    struct locker **place = &lockers;
    while (*place && (*place)->node != node)
        place = &(*place)->next;
    return place;
}
static void before_close(int fd)
{
    struct status status;
    if (!lockers || __pebble_status(fd, &status) < 0)
        return;
    pthread_mutex_lock(&guard);
    struct locker **place = find(status.node);
    if (*place)
        close_locker(place);
    pthread_mutex_unlock(&guard);
}
/* Where the locks of the process on descriptor `fd`'s file are kept; < 0: an error. */
static word locker_of(int fd)
{
    struct status status;
    word result = __pebble_status(fd, &status);
    if (result < 0)
        return result;
    if (status.kind != KIND_FILE)
        return -EINVAL;
    pthread_mutex_lock(&guard);
    struct locker **place = find(status.node);
    struct locker *made = *place;
    result = made ? made->file : -ENOLCK;
    if (!made && (made = malloc(sizeof *made))) {
        char nothing;
        result = invoke_portal(__pebble_behind(fd) + PORTAL_CONTROL, (word)CONTROL_LOCKER, &nothing);
        if (result < 0) {
            free(made);
            result = result == -ENFILE || result == -ENOMEM ? -ENOLCK : result;
        } else {
            *made = (struct locker){lockers, status.node, result};
            lockers = made;
            __pebble_before_close = before_close;
            __pebble_in_copy[COPY_OF_LOCKS] = in_copy;
        }
    }
    pthread_mutex_unlock(&guard);
    return result;
}
/* The files component that had this file is no more. */
static void forget(int file)
{
    pthread_mutex_lock(&guard);
    for (struct locker **place = &lockers; *place; place = &(*place)->next)
        if ((*place)->file == file) {
            close_locker(place);
            break;
        }
    pthread_mutex_unlock(&guard);
}
static word ask(int file, struct lock *lock)
{
    word result;
    while ((result = invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_LOCK, lock)) == -EBUSY && lock->how & LOCK_WAIT)
        hrsleep(LATER);
    return result;
}
/* Where `l_whence` counts from. */
static word origin(int fd, int whence)
{
    struct stat status;
    switch (whence) {
    case SEEK_SET: return 0;
    case SEEK_CUR: return lseek(fd, 0, SEEK_CUR);
    case SEEK_END: return fstat(fd, &status) < 0 ? -1 : (word)status.st_size;
    default: return __pebble_failed(-EINVAL);
    }
}
static int lock_range(int fd, int command, struct flock *range)
{
    word start = origin(fd, range->l_whence), end;
    if (start < 0)
        return -1;
    if (__builtin_add_overflow(start, range->l_start, &start) || __builtin_add_overflow(start, range->l_len, &end))
        return __pebble_failed(-EOVERFLOW);
    if (range->l_len < 0) {
        word first = end;
        end = start;
        start = first;
    }
    if (start < 0 || (range->l_type != F_RDLCK && range->l_type != F_WRLCK && range->l_type != F_UNLCK))
        return __pebble_failed(-EINVAL);
    struct lock lock = {
        .kind = range->l_type == F_RDLCK ? LOCK_SHARED : range->l_type == F_WRLCK ? LOCK_EXCLUSIVE : LOCK_NONE,
        .how = command == F_SETLKW ? LOCK_WAIT : command == F_GETLK ? LOCK_ASK : 0,
        .start = start,
        .end = range->l_len ? (uint64_t)end : ~0ul,
    };
    word file = locker_of(fd);
    if (file < 0)
        return failed(file);
    /* Whether the descriptor is open for that, itself. */
    struct lock allowed = lock;
    allowed.how = LOCK_ASK;
    word result = command == F_GETLK || lock.kind == LOCK_NONE ? 0 : ask(__pebble_behind(fd), &allowed);
    if (result >= 0)
        result = ask(file, &lock);
    if (result < 0) {
        if (result == -EDEAD || result == -EPORTAL)
            forget(file);
        return failed(result);
    }
    if (command == F_GETLK) {
        range->l_type = lock.kind == LOCK_NONE ? F_UNLCK : lock.kind == LOCK_SHARED ? F_RDLCK : F_WRLCK;
        if (lock.kind != LOCK_NONE) {
            range->l_whence = SEEK_SET;
            range->l_start = lock.start;
            range->l_len = lock.end == ~0ul ? 0 : lock.end - lock.start;
            range->l_pid = lock.holder;
        }
    }
    return 0;
}
int lockf(int fd, int command, off_t length)
{
    struct flock range = {.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK, .l_whence = SEEK_CUR, .l_len = length};
    switch (command) {
    case F_LOCK: return lock_range(fd, F_SETLKW, &range);
    case F_TLOCK:
    case F_ULOCK: return lock_range(fd, F_SETLK, &range);
    case F_TEST:
        if (lock_range(fd, F_GETLK, &range) < 0)
            return -1;
        return range.l_type == F_UNLCK ? 0 : __pebble_failed(-EAGAIN);
    default: return __pebble_failed(-EINVAL);
    }
}
int flock(int fd, int operation)
{
    struct lock lock = {.how = LOCK_WHOLE | (operation & LOCK_NB ? 0 : LOCK_WAIT)};
    switch (operation & ~LOCK_NB) {
    case LOCK_SH: lock.kind = LOCK_SHARED; break;
    case LOCK_EX: lock.kind = LOCK_EXCLUSIVE; break;
    case LOCK_UN: break;
    default: return __pebble_failed(-EINVAL);
    }
    struct status status;
    word result = __pebble_status(fd, &status);
    if (result >= 0)
        result = status.kind == KIND_FILE || status.kind == KIND_DIRECTORY ? ask(__pebble_behind(fd), &lock) : -EINVAL;
    return result < 0 ? failed(result) : 0;
}
/* A descriptor keeps the flags that it was opened with, and is closed with its domain: nothing else can be asked for. */
int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *pointer = va_arg(arguments, void *);
    va_end(arguments);
    int argument = (int)(intptr_t)pointer;
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    switch (command) {
    case F_DUPFD: return argument <= SYS_FIRST_FREE ? dup(fd) : failed(-EINVAL);
    case F_GETFD: return FD_CLOEXEC;
    case F_SETFD: return 0;
    case F_GETFL: return O_RDWR | (S_ISSOCK(status.st_mode) && __pebble_nonblocking(fd, ASKS) > 0 ? O_NONBLOCK : 0);
    case F_SETFL:
        if (S_ISSOCK(status.st_mode) && !(argument & O_APPEND)) {
            word result = __pebble_nonblocking(fd, argument & O_NONBLOCK ? WAITS_NOT : WAITS);
            return result < 0 ? failed(result) : 0;
        }
        return argument & (O_NONBLOCK | O_APPEND) ? failed(-ENOTSUP) : 0;
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW: return lock_range(fd, command, pointer);
    default: return failed(-EINVAL);
    }
}
