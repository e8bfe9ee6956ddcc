/* Streams: picolibc's structures, which <stdio.h> declares, with functions of ours. A stream of a descriptor has a lock that a thread may take again
   while it has it; each function of <stdio.h> takes it once. Others (memory, a string that is being scanned) have none. */
#ifndef STREAMS_H
#define STREAMS_H
#include "locks.h"
#include <errno.h>
#include <stdio-bufio.h>
#include <stdio.h>

/* In `bflags` beside picolibc's two: what is written comes behind what the file has; the structure is the heap's. */
#define APPENDS 4
#define ALLOCATED 8
/* In `flags` beside picolibc's: behind the byte that is pushed back there are more, which are kept beside the stream. */
#define MORE 0x80
/* Most bytes that are pushed back: one character. */
#define PUSHED 4
/* Bytes of a buffer, a page: a portal moves as much at once. */
#define BUFFER 4096

static inline struct __file_bufio *__pebble_buffered(FILE *file)
{
    return file->flags & __SBUF ? (struct __file_bufio *)file : NULL;
}
static inline void __pebble_lock(FILE *file)
{
    if (file->flags & __SBUF)
        __pebble_lock_again(((struct __file_bufio *)file)->lock);
}
static inline void __pebble_unlock(FILE *file)
{
    if (file->flags & __SBUF)
        __pebble_unlock_again(((struct __file_bufio *)file)->lock);
}
/* Whether a stream is for reading (__SRD) or for writing (__SWR); where it is not, that is an error of the stream. */
static inline int __pebble_is_for(FILE *file, int direction)
{
    if (file->flags & direction)
        return 1;
    file->flags |= __SERR;
    errno = EBADF;
    return 0;
}
/* The lock of a stream is held around these. The next byte or EOF; `count` bytes, as many as there are. */
int __pebble_get(FILE *file);
size_t __pebble_read(FILE *file, char *to, size_t count);
/* Puts the last byte back that __pebble_get has given. */
void __pebble_unget(FILE *file, int c);
/* Puts back what was not read last: up to PUSHED bytes, where none are. 0: there is no room. */
int __pebble_push_back(FILE *file, const char *bytes, size_t count);
/* How many of them were taken: all, or there is an error. */
size_t __pebble_write(FILE *file, const char *from, size_t count);
/* Writes out what waits to be written, or gives back to the file what was read ahead of it. */
int __pebble_flush(FILE *file);
/* Bytes that were pushed back and lie in no buffer. */
int __pebble_more(FILE *file);
static inline int __pebble_pushed(FILE *file)
{
    return (file->unget != 0) + (file->flags & MORE ? __pebble_more(file) : 0);
}
/* Forgets them. */
void __pebble_forget_more(FILE *file);
static inline void __pebble_forget(FILE *file)
{
    file->unget = 0;
    if (file->flags & MORE)
        __pebble_forget_more(file);
}

/* The flags that open takes for a mode, or -1. */
int __pebble_mode(const char *mode, int *flags, unsigned *directions);
/* Makes a stream of a descriptor in `made`. */
void __pebble_stream(struct __file_bufio *made, int fd, unsigned directions, int flags);
/* All that are open: entered when one has been made, taken out before it is closed. */
int __pebble_enter(FILE *file);
void __pebble_take_out(FILE *file);
#endif
