/* Wide characters of streams: a stream has bytes, which are their UTF-8. It may be used for both. */
#include "streams.h"
#include "wide.h"

#undef getwc
#undef getwchar
#undef putwc
#undef putwchar

/* That is no character. The lock is held. */
static wint_t wrong(FILE *file)
{
    file->flags |= __SERR;
    errno = EILSEQ;
    return WEOF;
}
wint_t fgetwc(FILE *file)
{
    char bytes[WIDEST];
    wint_t result = WEOF;
    __pebble_lock(file);
    int first = __pebble_get(file);
    if (first != EOF) {
        size_t length = __pebble_utf8_length(first), had = 1;
        bytes[0] = first;
        int ended = 0;
        for (; had < length; had++) {
            int next = __pebble_get(file);
            /* Why, errno says, unless it is the end. */
            if ((ended = next == EOF))
                break;
            if ((next & 0xc0) != 0x80) {
                /* The next one begins here. */
                __pebble_unget(file, next);
                break;
            }
            bytes[had] = next;
        }
        int32_t c = length && had == length ? __pebble_character(bytes, length) : -1;
        if (!ended || file->flags & __SEOF)
            result = c < 0 ? wrong(file) : (wint_t)c;
    }
    __pebble_unlock(file);
    return result;
}
wint_t getwc(FILE *file)
{
    return fgetwc(file);
}
wint_t getwchar(void)
{
    return fgetwc(stdin);
}
wint_t ungetwc(wint_t c, FILE *file)
{
    char bytes[WIDEST];
    wint_t result = WEOF;
    if (c == WEOF)
        return WEOF;
    size_t length = __pebble_utf8(bytes, c);
    if (!length) {
        errno = EILSEQ;
        return WEOF;
    }
    __pebble_lock(file);
    if (__pebble_is_for(file, __SRD) && __pebble_push_back(file, bytes, length)) {
        file->flags &= ~__SEOF;
        result = c;
    }
    __pebble_unlock(file);
    return result;
}
wchar_t *fgetws(wchar_t *restrict line, int size, FILE *restrict file)
{
    int n = 0;
    wint_t c = 0;
    __pebble_lock(file);
    int failed = file->flags & __SERR;
    while (n + 1 < size && c != '\n' && (c = fgetwc(file)) != WEOF)
        line[n++] = c;
    int none = size <= 0 || (c == WEOF && (n == 0 || (file->flags & __SERR) != failed));
    __pebble_unlock(file);
    if (none)
        return NULL;
    line[n] = 0;
    return line;
}
wint_t fputwc(wchar_t c, FILE *file)
{
    char bytes[WIDEST];
    size_t length = __pebble_utf8(bytes, c);
    __pebble_lock(file);
    wint_t result = !length ? wrong(file) : __pebble_write(file, bytes, length) == length ? (wint_t)c : WEOF;
    __pebble_unlock(file);
    return result;
}
wint_t putwc(wchar_t c, FILE *file)
{
    return fputwc(c, file);
}
wint_t putwchar(wchar_t c)
{
    return fputwc(c, stdout);
}
int fputws(const wchar_t *restrict text, FILE *restrict file)
{
    int result = 0;
    __pebble_lock(file);
    for (; *text && result == 0; text++)
        result = fputwc(*text, file) == WEOF ? -1 : 0;
    __pebble_unlock(file);
    return result;
}
/* A stream is for what it is used for. */
int fwide(FILE *file, int mode)
{
    (void)file;
    return mode;
}
