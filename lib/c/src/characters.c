/* Characters of 16 and of 32 bits (ISO C, <uchar.h>), and their bytes: UTF-8. Between two calls a state has the bytes of a character that are there
   already, and their number; or, as PAIR, the half of a pair that is still to be told. */
#include "wide.h"
#include <errno.h>
#include <string.h>
#include <uchar.h>

enum { PAIR = WIDEST + 1 };
#define UNTOLD ((size_t)-3)
#define PART ((size_t)-2)
#define WRONG ((size_t)-1)

static size_t wrong(mbstate_t *state)
{
    memset(state, 0, sizeof *state);
    errno = EILSEQ;
    return WRONG;
}
size_t mbrtoc32(char32_t *restrict to, const char *restrict bytes, size_t count, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    unsigned char *had;
    state = state ? state : &own;
    had = state->__value.__wchb;
    if (!bytes)
        return mbrtoc32(NULL, "", 1, state);
    for (size_t n = 0; n < count; n++) {
        had[state->__count++] = bytes[n];
        size_t length = __pebble_utf8_length(had[0]);
        if (!length || (state->__count > 1 && (bytes[n] & 0xc0) != 0x80))
            return wrong(state);
        if ((size_t)state->__count == length) {
            int32_t c = __pebble_character((char *)had, length);
            if (c < 0)
                return wrong(state);
            memset(state, 0, sizeof *state);
            if (to)
                *to = c;
            return c ? n + 1 : 0;
        }
    }
    return PART;
}
size_t mbrtoc16(char16_t *restrict to, const char *restrict bytes, size_t count, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    char32_t c;
    state = state ? state : &own;
    if (state->__count == PAIR) {
        if (to)
            *to = state->__value.__wch;
        memset(state, 0, sizeof *state);
        return UNTOLD;
    }
    if (!bytes)
        return mbrtoc16(NULL, "", 1, state);
    size_t result = mbrtoc32(&c, bytes, count, state);
    if (result == PART || result == WRONG)
        return result;
    if (c >= 0x10000) {
        state->__count = PAIR;
        state->__value.__wch = 0xdc00 + (c - 0x10000) % 0x400;
        c = 0xd800 + (c - 0x10000) / 0x400;
    }
    if (to)
        *to = c;
    return result;
}
size_t c32rtomb(char *restrict to, char32_t c, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    char bytes[WIDEST];
    size_t length = __pebble_utf8(bytes, to ? c : 0);
    if (!length)
        return wrong(state ? state : &own);
    if (to)
        memcpy(to, bytes, length);
    return length;
}
size_t c16rtomb(char *restrict to, char16_t c, mbstate_t *restrict state)
{
    static __thread mbstate_t own;
    state = state ? state : &own;
    if (!to || state->__count != PAIR) {
        if (!to || c < 0xd800 || c >= 0xdc00) {
            memset(state, 0, sizeof *state);
            return c32rtomb(to, c, state);
        }
        state->__count = PAIR;
        state->__value.__wch = c;
        return 0;
    }
    char32_t first = state->__value.__wch;
    memset(state, 0, sizeof *state);
    if (c < 0xdc00 || c >= 0xe000)
        return wrong(state);
    return c32rtomb(to, 0x10000 + (first - 0xd800) * 0x400 + (c - 0xdc00), state);
}
