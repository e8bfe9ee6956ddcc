/* Streams of files: opened, opened again, closed. All that are open are kept in a list, for what waits in them when the program ends. */
#include "streams.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct open_stream {
    struct open_stream *next;
    FILE *file;
};
static struct open_stream *open_streams;
/* Of the list. Who has it takes those of streams, and nobody the other way round. */
static _LOCK_T list;

__attribute__((constructor(102))) static void make_lock(void)
{
    __retarget_lock_init_recursive(&list);
}
int __pebble_enter(FILE *file)
{
    struct open_stream *made = malloc(sizeof *made);
    if (!made)
        return -1;
    __retarget_lock_acquire_recursive(list);
    *made = (struct open_stream){open_streams, file};
    open_streams = made;
    __retarget_lock_release_recursive(list);
    return 0;
}
void __pebble_take_out(FILE *file)
{
    __retarget_lock_acquire_recursive(list);
    struct open_stream **place = &open_streams, *found;
    while (*place && (*place)->file != file)
        place = &(*place)->next;
    if ((found = *place))
        *place = found->next;
    __retarget_lock_release_recursive(list);
    free(found);
}
int __pebble_mode(const char *mode, int *flags, unsigned *directions)
{
    int both = strchr(mode, '+') != NULL;
    switch (*mode) {
    case 'r': *flags = 0; break;
    case 'w': *flags = O_CREAT | O_TRUNC; break;
    case 'a': *flags = O_CREAT | O_APPEND; break;
    default: errno = EINVAL; return -1;
    }
    *flags |= (both ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY) | (strchr(mode, 'x') ? O_EXCL : 0);
    *directions = both ? __SRD | __SWR : *mode == 'r' ? __SRD : __SWR;
    return 0;
}
void __pebble_stream(struct __file_bufio *made, int fd, unsigned directions, int flags)
{
    _LOCK_T lock = made->lock;
    *made = (struct __file_bufio)FDEV_SETUP_BUFIO(fd, NULL, 0, read, write, lseek, close, directions, flags & O_APPEND ? APPENDS : 0);
    made->lock = lock;
}
static FILE *on(int fd, unsigned directions, int flags)
{
    struct __file_bufio *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    __retarget_lock_init_recursive(&made->lock);
    __pebble_stream(made, fd, directions, flags);
    made->bflags |= ALLOCATED;
    FILE *file = &made->xfile.cfile.file;
    if (made->lock && __pebble_enter(file) == 0)
        return file;
    __retarget_lock_close(made->lock);
    free(made);
    errno = ENOMEM;
    return NULL;
}
FILE *fopen(const char *path, const char *mode)
{
    int flags;
    unsigned directions;
    int fd = __pebble_mode(mode, &flags, &directions) < 0 ? -1 : open(path, flags, 0666);
    FILE *file = fd < 0 ? NULL : on(fd, directions, flags);
    if (!file && fd >= 0)
        close(fd);
    return file;
}
FILE *fdopen(int fd, const char *mode)
{
    int flags;
    unsigned directions;
    struct stat status;
    if (__pebble_mode(mode, &flags, &directions) < 0 || fstat(fd, &status) < 0)
        return NULL;
    return on(fd, directions, flags);
}
static void free_buffer(struct __file_bufio *f)
{
    if (f->bflags & __BALL)
        free(f->buf);
    f->bflags &= ~__BALL;
    f->buf = NULL;
}
/* Standard streams stay, closed: their structures are nobody's to free. */
int __bufio_close(FILE *file)
{
    struct __file_bufio *f = (struct __file_bufio *)file;
    if (f->bflags & ALLOCATED)
        __pebble_take_out(file);
    __pebble_lock(file);
    int flushed = __pebble_flush(file), closed = f->fd < 0 ? (errno = EBADF, -1) : f->close(f->fd);
    free_buffer(f);
    f->fd = -1;
    file->flags &= ~(__SRD | __SWR | __SEOF);
    __pebble_unlock(file);
    if (f->bflags & ALLOCATED) {
        __retarget_lock_close(f->lock);
        free(f);
    }
    return flushed || closed ? EOF : 0;
}
int fclose(FILE *file)
{
    if (file->flags & __SCLOSE)
        return ((struct __file_close *)file)->close(file);
    return __pebble_flush(file);
}
/* The file in the place of the stream's, by the number that it has where that is a standard one. */
static int replace(int old, const char *path, int flags)
{
    if (old >= 0)
        close(old);
    int fd = open(path, flags, 0666);
    if (fd < 0 || old < 0 || old > 2 || fd == old)
        return fd;
    int put = dup2(fd, old);
    close(fd);
    return put;
}
FILE *freopen(const char *path, const char *mode, FILE *file)
{
    struct __file_bufio *f = __pebble_buffered(file);
    int flags;
    unsigned directions;
    if (!f || __pebble_mode(mode, &flags, &directions) < 0) {
        errno = f ? errno : EINVAL;
        return NULL;
    }
    int standard = file == stdin ? 0 : file == stdout ? 1 : file == stderr ? 2 : -1;
    __pebble_lock(file);
    __pebble_flush(file);
    int fd = path ? replace(f->fd < 0 ? standard : f->fd, path, flags) : f->fd, kept = f->bflags & (ALLOCATED | (standard == 1 ? __BLBF : 0));
    free_buffer(f);
    __pebble_stream(f, fd, fd < 0 ? 0 : directions, flags);
    f->bflags |= kept;
    if (standard == 2)
        __bufio_setvbuf(file, NULL, _IONBF, 0);
    __pebble_unlock(file);
    if (fd < 0 && !path)
        errno = EBADF;
    if (fd >= 0)
        return file;
    if (kept & ALLOCATED)
        __bufio_close(file);
    return NULL;
}
/* Those to which something waits to be written; where `all` is 0, without waiting for who uses one. */
static int flush_all(int all)
{
    int result = 0;
    __retarget_lock_acquire_recursive(list);
    for (struct open_stream *open = open_streams; open; open = open->next) {
        struct __file_bufio *f = (struct __file_bufio *)open->file;
        if (f->dir != __SWR || !f->len)
            continue;
        if (all)
            __retarget_lock_acquire_recursive(f->lock);
        else if (!__retarget_lock_try_acquire_recursive(f->lock))
            continue;
        if (f->dir == __SWR && __pebble_flush(open->file) < 0)
            result = EOF;
        __retarget_lock_release_recursive(f->lock);
    }
    __retarget_lock_release_recursive(list);
    return result;
}
int fflush(FILE *file)
{
    if (!file) {
        int standard = fflush(stdout);
        return flush_all(1) || standard ? EOF : 0;
    }
    __pebble_lock(file);
    int result = __pebble_flush(file);
    __pebble_unlock(file);
    return result;
}
__attribute__((destructor(102))) static void at_exit(void)
{
    flush_all(0);
}
