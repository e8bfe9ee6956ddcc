/* Wide characters and their bytes. */
#include "wide.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t __pebble_utf8(char bytes[WIDEST], uint32_t c)
{
    if (c < 0x80) {
        bytes[0] = c;
        return 1;
    }
    /* No halves of pairs of UTF-16, and nothing behind the last plane. */
    if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
        return 0;
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    bytes[0] = (0xf0 << (3 - more)) | c >> 6 * more;
    for (size_t n = 1; n <= more; n++)
        bytes[n] = 0x80 | (c >> 6 * (more - n) & 0x3f);
    return more + 1;
}
size_t __pebble_utf8_length(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}
int32_t __pebble_character(const char *bytes, size_t length)
{
    unsigned char first = bytes[0];
    uint32_t c = length == 1 ? first : first & (0x7f >> length);
    char again[WIDEST];
    for (size_t n = 1; n < length; n++) {
        if ((bytes[n] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (bytes[n] & 0x3f);
    }
    /* One has one form, which is the shortest. */
    return __pebble_utf8(again, c) == length ? (int32_t)c : -1;
}
char *__pebble_narrow(const wchar_t *text)
{
    size_t count = wcslen(text), length = 0;
    char *bytes = count < SIZE_MAX / WIDEST ? malloc(WIDEST * count + 1) : NULL;
    for (size_t n = 0; bytes && n < count; n++) {
        size_t more = __pebble_utf8(bytes + length, text[n]);
        if (!more) {
            free(bytes);
            errno = EILSEQ;
            return NULL;
        }
        length += more;
    }
    if (bytes)
        bytes[length] = 0;
    return bytes;
}
ptrdiff_t __pebble_widen(wchar_t *to, size_t room, const char *bytes, size_t length)
{
    size_t count = 0;
    for (const char *end = bytes + length; bytes < end; count++) {
        size_t more = __pebble_utf8_length(*bytes);
        int32_t c = more && more <= (size_t)(end - bytes) ? __pebble_character(bytes, more) : -1;
        if (c < 0) {
            errno = EILSEQ;
            return -1;
        }
        if (count < room)
            to[count] = c;
        bytes += more;
    }
    if (count < room)
        to[count] = 0;
    return count;
}
