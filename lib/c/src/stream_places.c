/* Positions of streams: where the descriptor is, less what was read ahead and pushed back, or more what waits to be written. */
#include "streams.h"
#include <unistd.h>

/* The lock is held. */
static off_t place(struct __file_bufio *f)
{
    FILE *file = &f->xfile.cfile.file;
    int appends = f->dir == __SWR && f->len && f->bflags & APPENDS;
    off_t at = f->lseek(f->fd, 0, appends ? SEEK_END : SEEK_CUR);
    if (at < 0)
        return -1;
    return f->dir == __SRD ? at - (f->len - f->off) - __pebble_pushed(file) : at + f->len;
}
static off_t invalid(void)
{
    errno = EINVAL;
    return -1;
}
off_t __bufio_seek(FILE *file, off_t offset, int whence)
{
    struct __file_bufio *f = (struct __file_bufio *)file;
    if (whence == SEEK_CUR) {
        off_t from = place(f);
        if (from < 0 || __builtin_add_overflow(from, offset, &offset))
            return from < 0 ? from : invalid();
        whence = SEEK_SET;
    }
    if (whence == SEEK_SET && offset < 0)
        return invalid();
    __pebble_forget(file);
    if (f->dir == __SRD && whence == SEEK_SET && f->len) {
        off_t end = f->lseek(f->fd, 0, SEEK_CUR);
        if (end >= 0 && offset <= end && offset >= end - f->len) {
            f->off = f->len - (end - offset);
            return offset;
        }
    }
    if (f->dir == __SWR && __pebble_flush(file) < 0)
        return -1;
    off_t at = f->lseek(f->fd, offset, whence);
    if (at >= 0) {
        f->len = f->off = 0;
        f->dir = 0;
    }
    return at;
}
/* A stream of another kind has no position, unless it says so. */
static off_t seek(FILE *file, off_t offset, int whence)
{
    if (file->flags & __SEXT)
        return ((struct __file_ext *)file)->seek(file, offset, whence);
    errno = ESPIPE;
    return -1;
}
int fseeko(FILE *file, off_t offset, int whence)
{
    __pebble_lock(file);
    if (whence == SEEK_CUR && !__pebble_buffered(file))
        offset -= __pebble_pushed(file);
    off_t at = seek(file, offset, whence);
    if (at >= 0) {
        __pebble_forget(file);
        file->flags &= ~__SEOF;
    }
    __pebble_unlock(file);
    return at < 0 ? -1 : 0;
}
int fseek(FILE *file, long offset, int whence)
{
    return fseeko(file, offset, whence);
}
off_t ftello(FILE *file)
{
    struct __file_bufio *f = __pebble_buffered(file);
    __pebble_lock(file);
    off_t at = f ? place(f) : seek(file, 0, SEEK_CUR);
    if (!f && at >= 0)
        at -= __pebble_pushed(file);
    __pebble_unlock(file);
    return at;
}
long ftell(FILE *file)
{
    return ftello(file);
}
void rewind(FILE *file)
{
    fseeko(file, 0, SEEK_SET);
    clearerr(file);
}
int fgetpos(FILE *file, fpos_t *at)
{
    *at = ftello(file);
    return *at < 0 ? -1 : 0;
}
int fsetpos(FILE *file, fpos_t *at)
{
    return fseeko(file, *at, SEEK_SET);
}
