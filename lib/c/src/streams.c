/* How streams of descriptors are filled and emptied, in the place of picolibc's (as of 1.8), which takes the lock for each byte, loses what was
   pushed back from positions, and writes what is appended where it was read last. A buffer is made at the first use. */
#include "streams.h"
#include <unistd.h>

/* The buffer, or where there is no memory for one, a byte of the structure's. */
static char *buffer_of(struct __file_bufio *f)
{
    if (!f->buf) {
        f->buf = aligned_alloc(BUFFER, BUFFER);
        f->size = BUFFER;
        f->bflags |= __BALL;
        if (!f->buf) {
            f->bflags &= ~__BALL;
            errno = ENOMEM;
        }
    }
    return f->buf;
}
static int write_all(struct __file_bufio *f, const char *from, size_t count)
{
    while (count) {
        ssize_t done = f->write(f->fd, from, count);
        if (done <= 0) {
            f->xfile.cfile.file.flags |= __SERR;
            return EOF;
        }
        from += done;
        count -= done;
    }
    return 0;
}
int __pebble_flush(FILE *file)
{
    struct __file_bufio *f = __pebble_buffered(file);
    if (!f)
        return file->flush ? file->flush(file) : 0;
    int result = 0;
    if (f->dir == __SWR) {
        int count = f->len;
        /* What can not be written is lost, and would be in the way for good. */
        f->len = 0;
        result = count ? write_all(f, f->buf, count) : 0;
    } else if (f->dir == __SRD) {
        int pushed = __pebble_pushed(file), ahead = f->len - f->off + pushed;
        int error = errno;
        /* A pipe takes nothing back: it is read later. A file may have less before that place than was pushed back. */
        if (ahead && f->lseek(f->fd, -ahead, SEEK_CUR) < 0 && (!pushed || f->lseek(f->fd, pushed - ahead, SEEK_CUR) < 0)) {
            errno = error;
            return 0;
        }
        __pebble_forget(file);
        f->len = f->off = 0;
    }
    f->dir = 0;
    return result;
}
static int turn(struct __file_bufio *f, int direction)
{
    if (f->dir == direction)
        return 0;
    int result = __pebble_flush(&f->xfile.cfile.file);
    if (f->dir)
        f->len = f->off = 0;
    f->dir = direction;
    return result;
}
/* Before a program waits for what is typed it shows what it asks. Who writes there at the moment will. */
static void show_question(FILE *file)
{
    if (file != stdin)
        return;
    _LOCK_T lock = ((struct __file_bufio *)stdout)->lock;
    if (!__retarget_lock_try_acquire_recursive(lock))
        return;
    if (((struct __file_bufio *)stdout)->dir == __SWR)
        __pebble_flush(stdout);
    __retarget_lock_release_recursive(lock);
}
/* Reads from the descriptor; what there is, or the flag that says why nothing. */
static ssize_t from_descriptor(struct __file_bufio *f, char *to, size_t count)
{
    FILE *file = &f->xfile.cfile.file;
    show_question(file);
    ssize_t done = f->read(f->fd, to, count);
    if (done <= 0)
        file->flags |= done < 0 ? __SERR : __SEOF;
    return done;
}
static int fill(struct __file_bufio *f)
{
    f->off = f->len = 0;
    if (!buffer_of(f)) {
        f->xfile.cfile.file.flags |= __SERR;
        return EOF;
    }
    ssize_t done = from_descriptor(f, f->buf, f->size);
    f->len = done > 0 ? done : 0;
    return done > 0 ? 0 : EOF;
}
/* What a byte of a stream without a buffer is, or why there is none. */
static int from_other(FILE *file)
{
    int c = file->get(file);
    if (c >= 0)
        return (unsigned char)c;
    file->flags |= c == _FDEV_EOF ? __SEOF : __SERR;
    return EOF;
}
/* What streams have that were given a whole character back: bytes behind that of `unget`. */
static struct more {
    FILE *file;
    unsigned char count, bytes[PUSHED - 1];
} places[8];
static struct more *more_of(FILE *file)
{
    struct more *place = places;
    while (__atomic_load_n(&place->file, __ATOMIC_RELAXED) != file)
        place++;
    return place;
}
/* The one of a stream, or one that it has from now on. NULL: others have all. */
static struct more *claim(FILE *file)
{
    if (file->flags & MORE)
        return more_of(file);
    for (struct more *place = places; place < places + sizeof places / sizeof *places; place++) {
        FILE *nobody = NULL;
        if (__atomic_compare_exchange_n(&place->file, &nobody, file, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            place->count = 0;
            file->flags |= MORE;
            return place;
        }
    }
    return NULL;
}
int __pebble_more(FILE *file)
{
    return more_of(file)->count;
}
void __pebble_forget_more(FILE *file)
{
    __atomic_store_n(&more_of(file)->file, NULL, __ATOMIC_RELEASE);
    file->flags &= ~MORE;
}
static int pushed_back(FILE *file)
{
    int c = (unsigned char)(file->unget - 1);
    file->unget = 0;
    if (file->flags & MORE) {
        struct more *more = more_of(file);
        file->unget = more->bytes[0] + 1;
        memmove(more->bytes, more->bytes + 1, --more->count);
        if (!more->count)
            __pebble_forget_more(file);
    }
    return c;
}
int __pebble_get(FILE *file)
{
    if (file->unget)
        return pushed_back(file);
    struct __file_bufio *f = __pebble_buffered(file);
    if (f && f->dir == __SRD && f->off < f->len)
        return (unsigned char)f->buf[f->off++];
    if (!__pebble_is_for(file, __SRD) || file->flags & __SEOF)
        return EOF;
    if (!f)
        return from_other(file);
    if (turn(f, __SRD) < 0 || (f->off >= f->len && fill(f) < 0))
        return EOF;
    return (unsigned char)f->buf[f->off++];
}
void __pebble_unget(FILE *file, int c)
{
    struct __file_bufio *f = __pebble_buffered(file);
    struct more *more;
    if (f && !file->unget && f->dir == __SRD && f->off > 0 && (unsigned char)f->buf[f->off - 1] == c)
        f->off--;
    else if (!file->unget)
        file->unget = c + 1;
    else if ((more = claim(file)) && more->count < PUSHED - 1) {
        /* There is room: it was taken from there. */
        memmove(more->bytes + 1, more->bytes, more->count++);
        more->bytes[0] = file->unget - 1;
        file->unget = c + 1;
    }
}
int __pebble_push_back(FILE *file, const char *bytes, size_t count)
{
    struct __file_bufio *f = __pebble_buffered(file);
    if (file->unget)
        return 0;
    /* What was read last lies there still. */
    if (f && f->dir == __SRD && (size_t)f->off >= count && memcmp(f->buf + f->off - count, bytes, count) == 0) {
        f->off -= count;
        return 1;
    }
    if (count > 1 && !claim(file))
        return 0;
    /* Not into the buffer, where some of them may be by chance. */
    for (size_t n = count; n > 0; n--)
        if (!file->unget)
            file->unget = (unsigned char)bytes[n - 1] + 1;
        else
            __pebble_unget(file, (unsigned char)bytes[n - 1]);
    return 1;
}
size_t __pebble_read(FILE *file, char *to, size_t count)
{
    struct __file_bufio *f = __pebble_buffered(file);
    size_t done = 0;
    if (!__pebble_is_for(file, __SRD))
        return 0;
    while (done < count && file->unget)
        to[done++] = pushed_back(file);
    if (!f) {
        for (int c; done < count && !(file->flags & __SEOF) && (c = from_other(file)) != EOF;)
            to[done++] = c;
        return done;
    }
    if (done < count && turn(f, __SRD) < 0)
        return done;
    while (done < count) {
        size_t here = f->len - f->off, left = count - done;
        if (here) {
            here = here < left ? here : left;
            memcpy(to + done, f->buf + f->off, here);
            f->off += here;
            done += here;
        } else if (file->flags & __SEOF) {
            break;
        } else if (left >= BUFFER) {
            /* As much as a buffer holds, and more, goes where it is wanted at once. */
            f->off = f->len = 0;
            ssize_t read = from_descriptor(f, to + done, left);
            if (read <= 0)
                break;
            done += read;
        } else if (fill(f) < 0) {
            break;
        }
    }
    return done;
}
static size_t to_other(FILE *file, const char *from, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (file->put(from[n], file) < 0) {
            file->flags |= __SERR;
            return n;
        }
    return count;
}
size_t __pebble_write(FILE *file, const char *from, size_t count)
{
    struct __file_bufio *f = __pebble_buffered(file);
    if (!__pebble_is_for(file, __SWR))
        return 0;
    if (!f)
        return to_other(file, from, count);
    if (turn(f, __SWR) < 0)
        return 0;
    if (f->size == 1 || !buffer_of(f))
        return write_all(f, from, count) < 0 ? 0 : count;
    size_t done = 0;
    while (done < count) {
        size_t room = f->size - f->len, left = count - done;
        if (f->len == 0 && left >= (size_t)f->size) {
            size_t whole = left - left % f->size;
            if (write_all(f, from + done, whole) < 0)
                return done;
            done += whole;
            continue;
        }
        room = room < left ? room : left;
        memcpy(f->buf + f->len, from + done, room);
        f->len += room;
        done += room;
        if (f->len == f->size && (__pebble_flush(file) < 0 || turn(f, __SWR) < 0))
            return done - room;
    }
    if (f->len && f->bflags & __BLBF && memchr(from, '\n', count) && (__pebble_flush(file) < 0 || turn(f, __SWR) < 0))
        return 0;
    return count;
}

/* What picolibc's structures, and programs that make their own, know. */
int __bufio_put(char c, FILE *file)
{
    __pebble_lock(file);
    int result = __pebble_write(file, &c, 1) ? (unsigned char)c : _FDEV_ERR;
    __pebble_unlock(file);
    return result;
}
int __bufio_get(FILE *file)
{
    __pebble_lock(file);
    int c = __pebble_get(file);
    __pebble_unlock(file);
    return c != EOF ? c : file->flags & __SEOF ? _FDEV_EOF : _FDEV_ERR;
}
int __bufio_flush(FILE *file)
{
    __pebble_lock(file);
    int result = __pebble_flush(file);
    __pebble_unlock(file);
    return result;
}
int __bufio_setvbuf(FILE *file, char *buffer, int mode, size_t size)
{
    struct __file_bufio *f = (struct __file_bufio *)file;
    if (mode != _IOFBF && mode != _IOLBF && mode != _IONBF) {
        errno = EINVAL;
        return -1;
    }
    __pebble_lock(file);
    int result = __pebble_flush(file);
    char *old = f->bflags & __BALL ? f->buf : NULL;
    f->bflags = (f->bflags & ~(__BLBF | __BALL)) | (mode == _IOLBF ? __BLBF : 0);
    /* One byte that was read has to lie somewhere. */
    f->buf = mode == _IONBF ? (char *)&f->pos : size ? buffer : NULL;
    f->size = mode == _IONBF ? 1 : f->buf ? (int)(size < INT32_MAX ? size : INT32_MAX) : 0;
    __pebble_unlock(file);
    free(old);
    return result;
}
