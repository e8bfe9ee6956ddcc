/* Characters of 16 and of 32 bits, in UTF-16 and UTF-32 (ISO C11, 7.28). */
#ifndef PEBBLE_UCHAR_H
#define PEBBLE_UCHAR_H

#include <wchar.h>

#ifndef __cplusplus
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#else
extern "C" {
#endif
size_t mbrtoc16(char16_t *__restrict to, const char *__restrict bytes, size_t count, mbstate_t *__restrict state);
size_t mbrtoc32(char32_t *__restrict to, const char *__restrict bytes, size_t count, mbstate_t *__restrict state);
size_t c16rtomb(char *__restrict to, char16_t c, mbstate_t *__restrict state);
size_t c32rtomb(char *__restrict to, char32_t c, mbstate_t *__restrict state);
#ifdef __cplusplus
}
#endif
#endif
