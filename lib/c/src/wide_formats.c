/* printf and its like for wide characters, and strftime: their formats are read as the bytes that they are. */
#include "printf.h"
#include "streams.h"
#include "wide.h"
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

int vfwprintf(FILE *restrict file, const wchar_t *restrict format, va_list rest)
{
    char *narrow = __pebble_narrow(format);
    int result = narrow ? __pebble_vfprintf(file, narrow, rest, true) : -1;
    free(narrow);
    return result;
}
/* -1, too, where there is no room for all. */
int vswprintf(wchar_t *restrict to, size_t room, const wchar_t *restrict format, va_list rest)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return -1;
    int result = vfwprintf(file, format, rest);
    if (fclose(file) < 0)
        result = -1;
    if (result >= 0 && __pebble_widen(to, room, text, length) < 0)
        result = -1;
    if (result >= 0 && (size_t)result >= room) {
        errno = EOVERFLOW;
        result = -1;
    }
    if (result < 0 && room)
        to[room - 1] = 0;
    free(text);
    return result;
}
int vwprintf(const wchar_t *restrict format, va_list rest)
{
    return vfwprintf(stdout, format, rest);
}
/* Defines the form of a function whose arguments are listed. */
#define LISTED(name, parameters, of, ...)     \
    int name parameters                       \
    {                                         \
        va_list rest;                         \
        va_start(rest, format);               \
        int result = of(__VA_ARGS__, rest);   \
        va_end(rest);                         \
        return result;                        \
    }
LISTED(fwprintf, (FILE *restrict file, const wchar_t *restrict format, ...), vfwprintf, file, format)
LISTED(swprintf, (wchar_t *restrict to, size_t room, const wchar_t *restrict format, ...), vswprintf, to, room, format)
LISTED(wprintf, (const wchar_t *restrict format, ...), vwprintf, format)

/* What is scanned has bytes, in which a set of characters and a width are of bytes, too. */
int vfwscanf(FILE *restrict file, const wchar_t *restrict format, va_list rest)
{
    char *narrow = __pebble_narrow(format);
    int result = narrow ? vfscanf(file, narrow, rest) : EOF;
    free(narrow);
    return result;
}
int vswscanf(const wchar_t *restrict text, const wchar_t *restrict format, va_list rest)
{
    char *narrow = __pebble_narrow(format), *bytes = narrow ? __pebble_narrow(text) : NULL;
    int result = bytes ? vsscanf(bytes, narrow, rest) : EOF;
    free(bytes);
    free(narrow);
    return result;
}
int vwscanf(const wchar_t *restrict format, va_list rest)
{
    return vfwscanf(stdin, format, rest);
}
LISTED(fwscanf, (FILE *restrict file, const wchar_t *restrict format, ...), vfwscanf, file, format)
LISTED(swscanf, (const wchar_t *restrict text, const wchar_t *restrict format, ...), vswscanf, text, format)
LISTED(wscanf, (const wchar_t *restrict format, ...), vwscanf, format)

/* 0: there is no room. */
size_t wcsftime(wchar_t *restrict to, size_t room, const wchar_t *restrict format, const struct tm *restrict time)
{
    char *narrow = __pebble_narrow(format), *text = NULL;
    size_t length;
    ptrdiff_t count = 0;
    /* No character has more bytes; one more than that tells nothing from no room. */
    if (narrow && room < SIZE_MAX / WIDEST && (text = malloc(WIDEST * room + 1)) && (length = strftime(text, WIDEST * room + 1, narrow, time)))
        count = __pebble_widen(to, room, text, length);
    free(text);
    free(narrow);
    return count > 0 && (size_t)count < room ? count : 0;
}
