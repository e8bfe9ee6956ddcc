/* Wide characters and their bytes: UTF-8, whatever the locale. */
#ifndef PEBBLE_WIDE_H
#define PEBBLE_WIDE_H
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Bytes of the longest character. */
enum { WIDEST = 4 };

/* A character's bytes; how many. 0: it is none (EILSEQ). */
size_t __pebble_utf8(char bytes[WIDEST], uint32_t c);
/* How many bytes a character has that begins with this one; 0: none does. */
size_t __pebble_utf8_length(unsigned char first);
/* The character of these bytes, which are as many as its first one says; -1: they are none. */
int32_t __pebble_character(const char *bytes, size_t length);
/* A text's bytes, on the heap; NULL: there is no memory, or a character is none: in errno. */
char *__pebble_narrow(const wchar_t *text);
/* The characters of so many bytes: how many, and as many of them as there is room for, with a zero where that is left; -1: EILSEQ. */
ptrdiff_t __pebble_widen(wchar_t *to, size_t room, const char *bytes, size_t length);
#endif
