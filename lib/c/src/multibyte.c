/* Characters of several bytes, in the place of picolibc's functions, which (as Debian builds it) know none: UTF-8 in each locale, as in wide.c. */
#include "wide.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>

#define PART ((size_t)-2)
#define WRONG ((size_t)-1)

size_t mbrtowc(wchar_t *restrict to, const char *restrict bytes, size_t count, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    char32_t c;
    size_t result = mbrtoc32(&c, bytes, count, state ? state : &own);
    if (to && bytes && result != PART && result != WRONG)
        *to = c;
    return result;
}
size_t mbrlen(const char *restrict bytes, size_t count, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    return mbrtowc(NULL, bytes, count, state ? state : &own);
}
int mbtowc(wchar_t *restrict to, const char *restrict bytes, size_t count)
{
    mbstate_t state = {0};
    size_t result = bytes ? mbrtowc(to, bytes, count, &state) : 0;
    if (result == PART)
        errno = EILSEQ;
    return result == PART ? -1 : (int)result;
}
int mblen(const char *bytes, size_t count)
{
    return mbtowc(NULL, bytes, count);
}
size_t wcrtomb(char *restrict to, wchar_t c, mbstate_t *restrict state)
{
    return c32rtomb(to, c, state);
}
int wctomb(char *to, wchar_t c)
{
    mbstate_t state = {0};
    return to ? (int)c32rtomb(to, c, &state) : 0;
}
size_t mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t most, size_t room, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    mbstate_t now = state ? *state : own;
    const char *at = *from;
    size_t count = 0, taken = 1;
    for (; most && taken && (!to || count < room); count += taken != 0) {
        wchar_t c;
        taken = mbrtowc(&c, at, most, &now);
        if (taken == WRONG)
            break;
        if (taken == PART) {
            at += most;
            break;
        }
        if (to)
            to[count] = c;
        at = taken ? at + taken : NULL;
        most -= taken;
    }
    if (to) {
        *from = at;
        *(state ? state : &own) = now;
    }
    return taken == WRONG ? WRONG : count;
}
size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t room, mbstate_t *restrict state)
{
    return mbsnrtowcs(to, from, SIZE_MAX, room, state);
}
size_t mbstowcs(wchar_t *restrict to, const char *from, size_t room)
{
    mbstate_t state = {0};
    return mbsrtowcs(to, &from, room, &state);
}
size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t most, size_t room, mbstate_t *restrict state)
{
    const wchar_t *at = *from;
    size_t count = 0, length = 1;
    (void)state;
    for (char bytes[WIDEST]; most-- && at; count += length) {
        length = __pebble_utf8(bytes, *at);
        if (!length)
            break;
        if (to && length > room - count)
            break;
        if (to)
            memcpy(to + count, bytes, length);
        /* The zero does not count. */
        if (!*at++) {
            at = NULL;
            break;
        }
    }
    if (to)
        *from = at;
    if (!length)
        errno = EILSEQ;
    return length ? count : WRONG;
}
size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t room, mbstate_t *restrict state)
{
    return wcsnrtombs(to, from, SIZE_MAX, room, state);
}
size_t wcstombs(char *restrict to, const wchar_t *from, size_t room)
{
    return wcsrtombs(to, &from, room, NULL);
}
wint_t btowc(int c)
{
    return c >= 0 && c < 0x80 ? (wint_t)c : WEOF;
}
int wctob(wint_t c)
{
    return c < 0x80 ? (int)c : EOF;
}
