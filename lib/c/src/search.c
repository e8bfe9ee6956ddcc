/* memmem, in the place of picolibc's, which (as of 1.8) reads behind what is searched where the needle is longer. */
#include "system.h"

void *memmem(const void *in, size_t size, const void *needle, size_t length)
{
    const char *at = in, *wanted = needle;
    if (length == 0)
        return (void *)in;
    /* Crochemore and Perrin's two-way search is strstr's; here each byte of the needle but the first says how far to go on (Horspool 1980). */
    if (length > size)
        return NULL;
    if (length == 1)
        return memchr(in, *wanted, size);
    size_t skip[256];
    for (size_t n = 0; n < 256; n++)
        skip[n] = length;
    for (size_t n = 0; n + 1 < length; n++)
        skip[(unsigned char)wanted[n]] = length - 1 - n;
    for (const char *last = at + (size - length); at <= last; at += skip[(unsigned char)at[length - 1]])
        if (at[length - 1] == wanted[length - 1] && memcmp(at, wanted, length - 1) == 0)
            return (void *)at;
    return NULL;
}
