/* Streams of memory: fmemopen, which reads and writes memory that is there, and open_memstream, whose memory grows. In the place of picolibc's fmemopen,
   which (as of 1.8) knows neither where the text ends nor what may be written. */
#include "streams.h"
#include <fcntl.h>

struct memory {
    struct __file_ext ext;
    char *bytes;
    size_t at, end, size; /* the position, behind the last byte that counts, and of all there is room for */
    int appends, owned;
    char **tell_bytes; /* of one that grows: who wants to know */
    size_t *tell_end;
};
static int get(FILE *file)
{
    struct memory *m = (struct memory *)file;
    return m->at < m->end ? (unsigned char)m->bytes[m->at++] : _FDEV_EOF;
}
static int grow(struct memory *m, size_t needed)
{
    size_t size = m->size ? m->size : 64;
    while (size < needed)
        size *= 2;
    char *moved = realloc(m->bytes, size);
    if (!moved)
        return -1;
    memset(moved + m->size, 0, size - m->size);
    m->bytes = moved;
    m->size = size;
    return 0;
}
static void tell(struct memory *m)
{
    *m->tell_bytes = m->bytes;
    *m->tell_end = m->at < m->end ? m->at : m->end;
}
static int put(char c, FILE *file)
{
    struct memory *m = (struct memory *)file;
    if (m->appends)
        m->at = m->end;
    if (m->tell_end && m->at + 2 > m->size && grow(m, m->at + 2) < 0)
        return _FDEV_ERR;
    if (m->at >= m->size) {
        errno = ENOSPC;
        return _FDEV_ERR;
    }
    m->bytes[m->at++] = c;
    if (m->at > m->end) {
        m->end = m->at;
        /* Text ends with a zero where there is room. */
        if (m->end < m->size)
            m->bytes[m->end] = 0;
    }
    return (unsigned char)c;
}
static int flush(FILE *file)
{
    struct memory *m = (struct memory *)file;
    if (m->tell_end)
        tell(m);
    return 0;
}
static off_t seek(FILE *file, off_t offset, int whence)
{
    struct memory *m = (struct memory *)file;
    off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)m->at : whence == SEEK_END ? (off_t)m->end : -1;
    if (from < 0 || __builtin_add_overflow(from, offset, &offset) || offset < 0 || (!m->tell_end && (size_t)offset > m->size)) {
        errno = EINVAL;
        return -1;
    }
    m->at = offset;
    if (m->tell_end)
        tell(m);
    return offset;
}
static int set_buffer(FILE *file, char *buffer, int mode, size_t size)
{
    (void)file, (void)buffer, (void)mode, (void)size;
    return 0;
}
static int close_memory(FILE *file)
{
    struct memory *m = (struct memory *)file;
    flush(file);
    if (m->owned)
        free(m->bytes);
    free(m);
    return 0;
}
static struct memory *made(unsigned directions)
{
    struct memory *m = calloc(1, sizeof *m);
    if (m)
        m->ext = (struct __file_ext)FDEV_SETUP_EXT(put, get, flush, close_memory, seek, set_buffer, directions);
    return m;
}
FILE *fmemopen(void *bytes, size_t size, const char *mode)
{
    int flags;
    unsigned directions;
    if (__pebble_mode(mode, &flags, &directions) < 0)
        return NULL;
    struct memory *m = made(directions);
    if (!m)
        return NULL;
    m->owned = bytes == NULL;
    m->bytes = bytes ? bytes : calloc(1, size + !size);
    m->size = size;
    if (!m->bytes) {
        free(m);
        return NULL;
    }
    if (flags & O_TRUNC && size)
        *m->bytes = 0;
    m->appends = (flags & O_APPEND) != 0;
    m->end = flags & O_TRUNC ? 0 : m->appends ? strnlen(m->bytes, size) : size;
    m->at = m->appends ? m->end : 0;
    return &m->ext.cfile.file;
}
FILE *open_memstream(char **bytes, size_t *size)
{
    struct memory *m = made(__SWR);
    if (!m)
        return NULL;
    m->tell_bytes = bytes;
    m->tell_end = size;
    if (grow(m, 1) < 0) {
        free(m);
        return NULL;
    }
    tell(m);
    return &m->ext.cfile.file;
}
