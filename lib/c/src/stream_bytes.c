/* Bytes and lines of streams. */
#include "streams.h"

#undef getc
#undef getchar
#undef putc
#undef putchar
#undef feof
#undef ferror

/* What is in the buffer needs no more than this. */
static inline int get(FILE *file)
{
    struct __file_bufio *f = (struct __file_bufio *)file;
    if (file->flags & __SBUF && !file->unget && f->dir == __SRD && f->off < f->len)
        return (unsigned char)f->buf[f->off++];
    return __pebble_get(file);
}
int fgetc(FILE *file)
{
    __pebble_lock(file);
    int c = get(file);
    __pebble_unlock(file);
    return c;
}
int getc(FILE *file)
{
    return fgetc(file);
}
int getchar(void)
{
    return fgetc(stdin);
}
int getc_unlocked(FILE *file)
{
    return __pebble_get(file);
}
int getchar_unlocked(void)
{
    return __pebble_get(stdin);
}
int ungetc(int c, FILE *file)
{
    if (c == EOF || !__pebble_is_for(file, __SRD))
        return EOF;
    __pebble_lock(file);
    int result = file->unget ? EOF : (unsigned char)c;
    if (result != EOF) {
        __pebble_unget(file, result);
        file->flags &= ~__SEOF;
    }
    __pebble_unlock(file);
    return result;
}
static int put(int c, FILE *file)
{
    struct __file_bufio *f = __pebble_buffered(file);
    if (f && f->dir == __SWR && f->len + 1 < f->size && c != '\n') {
        f->buf[f->len++] = c;
        return (unsigned char)c;
    }
    char byte = c;
    return __pebble_write(file, &byte, 1) ? (unsigned char)c : EOF;
}
int fputc(int c, FILE *file)
{
    __pebble_lock(file);
    int result = put(c, file);
    __pebble_unlock(file);
    return result;
}
int putc(int c, FILE *file)
{
    return fputc(c, file);
}
int putchar(int c)
{
    return fputc(c, stdout);
}
int putc_unlocked(int c, FILE *file)
{
    return put(c, file);
}
int putchar_unlocked(int c)
{
    return put(c, stdout);
}
size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = SIZE_MAX;
    if (bytes == 0)
        return 0;
    __pebble_lock(file);
    size_t done = __pebble_read(file, to, bytes);
    __pebble_unlock(file);
    return done == bytes ? count : done / size;
}
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = SIZE_MAX;
    if (bytes == 0)
        return 0;
    __pebble_lock(file);
    size_t done = __pebble_write(file, from, bytes);
    __pebble_unlock(file);
    return done == bytes ? count : done / size;
}
int fputs(const char *text, FILE *file)
{
    size_t length = strlen(text);
    __pebble_lock(file);
    int result = __pebble_write(file, text, length) == length && (length || __pebble_is_for(file, __SWR)) ? 0 : EOF;
    __pebble_unlock(file);
    return result;
}
int puts(const char *text)
{
    __pebble_lock(stdout);
    int result = fputs(text, stdout) < 0 || put('\n', stdout) < 0 ? EOF : 0;
    __pebble_unlock(stdout);
    return result;
}
/* As far as `end`, of a stream whose buffer has some of it; else a byte. How many were taken. */
static size_t take_until(FILE *file, char *to, size_t most, int end)
{
    struct __file_bufio *f = __pebble_buffered(file);
    if (!f || file->unget || f->dir != __SRD || f->off >= f->len) {
        int c = __pebble_get(file);
        *to = c;
        return c != EOF;
    }
    size_t here = f->len - f->off;
    here = here < most ? here : most;
    char *found = memchr(f->buf + f->off, end, here);
    size_t taken = found ? (size_t)(found + 1 - (f->buf + f->off)) : here;
    memcpy(to, f->buf + f->off, taken);
    f->off += taken;
    return taken;
}
char *fgets(char *line, int size, FILE *file)
{
    size_t n = 0, taken = 1;
    if (size <= 0)
        return NULL;
    __pebble_lock(file);
    while (n + 1 < (size_t)size && taken && (n == 0 || line[n - 1] != '\n'))
        n += taken = take_until(file, line + n, size - 1 - n, '\n');
    int none = !taken && (n == 0 || file->flags & __SERR);
    __pebble_unlock(file);
    if (none)
        return NULL;
    line[n] = 0;
    return line;
}
static int make_room(char **line, size_t *size, size_t needed)
{
    if (*line && needed <= *size)
        return 1;
    size_t larger = *line && *size > 60 ? 2 * *size : 120;
    char *moved = realloc(*line, larger);
    if (!moved)
        return 0;
    *line = moved;
    *size = larger;
    return 1;
}
ssize_t getdelim(char **line, size_t *size, int end, FILE *file)
{
    size_t length = 0, taken = 1;
    int room = 1;
    __pebble_lock(file);
    while (taken && (length == 0 || (unsigned char)(*line)[length - 1] != (unsigned char)end) && (room = make_room(line, size, length + 2)))
        length += taken = take_until(file, *line + length, *size - 1 - length, end);
    int none = !room || (!taken && (length == 0 || file->flags & __SERR));
    __pebble_unlock(file);
    if (none)
        return -1;
    (*line)[length] = 0;
    return length;
}
ssize_t getline(char **line, size_t *size, FILE *file)
{
    return getdelim(line, size, '\n', file);
}
int feof(FILE *file)
{
    return (file->flags & __SEOF) != 0;
}
int ferror(FILE *file)
{
    return (file->flags & __SERR) != 0;
}
void clearerr(FILE *file)
{
    __pebble_lock(file);
    file->flags &= ~(__SERR | __SEOF);
    __pebble_unlock(file);
}
void flockfile(FILE *file)
{
    __pebble_lock(file);
}
void funlockfile(FILE *file)
{
    __pebble_unlock(file);
}
int ftrylockfile(FILE *file)
{
    struct __file_bufio *f = __pebble_buffered(file);
    return f && !__retarget_lock_try_acquire_recursive(f->lock) ? -1 : 0;
}
