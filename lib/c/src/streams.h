/* What streams are for. */
#ifndef STREAMS_H
#define STREAMS_H
#include <errno.h>
#include <stdio.h>

/* Whether a stream is for reading (__SRD) or for writing (__SWR); where it is not, that is an error of the stream. */
static inline int __pebble_is_for(FILE *file, int direction)
{
    if (file->flags & direction)
        return 1;
    file->flags |= __SERR;
    errno = EBADF;
    return 0;
}
#endif
