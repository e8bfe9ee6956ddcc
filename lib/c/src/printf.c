/* printf, in the place of picolibc's, which has all digits of no number, no long double and no wide strings (as of 1.8). The other functions
   of its kind (snprintf, fprintf, asprintf, …) are picolibc's, and call this one. */
#include "printf.h"
#include "streams.h"
#include "wide.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* Arguments that a format may name by their numbers, as `%2$s` does. */
#define NUMBERED 32

enum size { CHAR = -2, SHORT, INT, LONG, LONG_LONG, MAXIMUM, SIZE, DIFFERENCE, LONG_DOUBLE };
union argument {
    uintmax_t whole;
    void *pointer;
    long double floating;
};
/* The arguments: one after the other, or all at once where the format names them. */
struct arguments {
    va_list rest;
    bool named;
    union argument all[NUMBERED];
};

void __pebble_put(struct output *out, char c)
{
    struct __file_bufio *f = __pebble_buffered(out->file);
    if (f && f->dir == __SWR && f->len + 1 < f->size && c != '\n')
        f->buf[f->len++] = c;
    else
        out->failed |= __pebble_write(out->file, &c, 1) == 0;
    out->count++;
}
/* As many as count: all bytes, or those that begin a character. */
static size_t counted(const struct output *out, const char *text, size_t length)
{
    size_t count = length;
    for (size_t n = 0; out->wide && n < length; n++)
        count -= (text[n] & 0xc0) == 0x80;
    return count;
}
static void put_all(struct output *out, const char *text, size_t length)
{
    out->failed |= __pebble_write(out->file, text, length) < length;
    out->count += counted(out, text, length);
}
static void pad(struct output *out, char c, int count)
{
    while (count-- > 0)
        __pebble_put(out, c);
}
/* Characters that are missing to the width. */
static int missing(const struct conversion *how, size_t length)
{
    return how->width > 0 && (size_t)how->width > length ? how->width - (int)length : 0;
}
void __pebble_before(struct output *out, const struct conversion *how, const char *prefix, size_t length)
{
    int room = how->left ? 0 : missing(how, strlen(prefix) + length);
    if (!how->zeros)
        pad(out, ' ', room);
    put_all(out, prefix, strlen(prefix));
    if (how->zeros)
        pad(out, '0', room);
}
void __pebble_behind_number(struct output *out, const struct conversion *how, const char *prefix, size_t length)
{
    if (how->left)
        pad(out, ' ', missing(how, strlen(prefix) + length));
}
/* Puts a prefix, zeros and text, padded to the width. */
static void put_padded(struct output *out, const struct conversion *how, const char *prefix, size_t zeros, const char *text, size_t length)
{
    size_t shown = zeros + counted(out, text, length);
    __pebble_before(out, how, prefix, shown);
    for (size_t n = 0; n < zeros; n++)
        __pebble_put(out, '0');
    put_all(out, text, length);
    __pebble_behind_number(out, how, prefix, shown);
}
static void put_text(struct output *out, const struct conversion *how, const char *text, size_t length)
{
    struct conversion plain = *how;
    plain.zeros = false;
    put_padded(out, &plain, "", 0, text, length);
}
/* The precision counts bytes, and no character is cut; or characters. One that is none is an error. */
static void put_wide(struct output *out, const struct conversion *how, const wchar_t *text, size_t most)
{
    size_t length = 0, count = 0;
    char bytes[WIDEST];
    for (; count < most && (how->precision < 0 || length < (size_t)how->precision) && text[count]; count++) {
        size_t more = __pebble_utf8(bytes, text[count]);
        if (!more) {
            errno = EILSEQ;
            out->failed = true;
            return;
        }
        more = out->wide ? 1 : more;
        if (how->precision >= 0 && length + more > (size_t)how->precision)
            break;
        length += more;
    }
    struct conversion plain = *how;
    plain.zeros = false;
    __pebble_before(out, &plain, "", length);
    for (size_t n = 0; n < count; n++)
        put_all(out, bytes, __pebble_utf8(bytes, text[n]));
    __pebble_behind_number(out, &plain, "", length);
}
/* Bytes of a text up to its precision. */
static size_t precise(const struct output *out, const char *text, int precision)
{
    size_t length = 0;
    if (precision < 0)
        return strlen(text);
    if (!out->wide)
        return strnlen(text, precision);
    /* No byte behind the last character is looked at. */
    while (precision-- > 0 && text[length]) {
        size_t more = __pebble_utf8_length(text[length++]);
        while (more-- > 1 && (text[length] & 0xc0) == 0x80)
            length++;
    }
    return length;
}
static void put_string(struct output *out, const struct conversion *how, const void *text, bool wide)
{
    if (!text)
        put_text(out, how, "(null)", how->precision >= 0 && how->precision < 6 ? how->precision : 6);
    else if (wide)
        put_wide(out, how, text, SIZE_MAX);
    else
        put_text(out, how, text, precise(out, text, how->precision));
}
static void put_integer(struct output *out, struct conversion *how, uintmax_t value, bool negative)
{
    const char *digits = how->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = how->letter == 'o' ? 8 : how->letter == 'b' ? 2 : strchr("xXp", how->letter) ? 16 : 10;
    bool is_signed = how->letter == 'd' || how->letter == 'i';
    char text[8 * sizeof value], *start = text + sizeof text;
    const char *prefix = negative ? "-" : is_signed && how->plus ? "+" : is_signed && how->blank ? " " : "";
    if (how->other && value)
        prefix = how->letter == 'X' ? "0X" : base == 16 ? "0x" : base == 2 ? "0b" : prefix;
    for (uintmax_t rest = value; rest; rest /= base)
        *--start = digits[rest % base];
    size_t length = text + sizeof text - start, wanted = how->precision < 0 ? 1 : how->precision;
    if (how->letter == 'o' && how->other && wanted <= length)
        wanted = length + 1;
    if (how->precision >= 0)
        how->zeros = false;
    put_padded(out, how, prefix, wanted > length ? wanted - length : 0, start, length);
}

/* A number in the format, or the argument that `*` stands for. */
static const char *number(const char *at, int *value)
{
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value > (INT_MAX - 9) / 10 ? INT_MAX : *value * 10 + (*at - '0');
    return at;
}
static const char *read_size(const char *at, enum size *size)
{
    *size = INT;
    for (;; at++)
        switch (*at) {
        case 'h': *size = *size == SHORT ? CHAR : SHORT; break;
        case 'l': *size = *size == LONG ? LONG_LONG : LONG; break;
        case 'j': *size = MAXIMUM; break;
        case 'z': *size = SIZE; break;
        case 't': *size = DIFFERENCE; break;
        case 'L': *size = LONG_DOUBLE; break;
        default: return at;
        }
}
/* The next argument, as the letter and size of a conversion have it. */
static union argument take(va_list *rest, char letter, enum size size)
{
    union argument argument = {0};
    if (strchr("aAeEfFgG", letter)) {
        argument.floating = size == LONG_DOUBLE ? va_arg(*rest, long double) : va_arg(*rest, double);
    } else if (strchr("spnS", letter)) {
        argument.pointer = va_arg(*rest, void *);
    } else if (strchr("di", letter)) {
        intmax_t value = size > INT ? va_arg(*rest, long) : va_arg(*rest, int);
        argument.whole = size == CHAR ? (signed char)value : size == SHORT ? (short)value : value;
    } else {
        uintmax_t value = size > INT && letter != 'c' ? va_arg(*rest, unsigned long) : va_arg(*rest, unsigned);
        argument.whole = size == CHAR ? (unsigned char)value : size == SHORT ? (unsigned short)value : value;
    }
    return argument;
}
/* Where a conversion behind a `%` names an argument, its number, from 1; else 0. */
static const char *named(const char *at, int *which)
{
    const char *behind = number(at, which);
    if (behind > at && *behind == '$')
        return behind + 1;
    *which = 0;
    return at;
}
/* What `*` stands for. */
static const char *star(const char *at, struct arguments *arguments, int *value)
{
    int which;
    at = named(at + 1, &which);
    *value = arguments->named ? (which >= 1 && which <= NUMBERED ? (int)arguments->all[which - 1].whole : 0) : va_arg(arguments->rest, int);
    return at;
}
static const char *read_conversion(const char *at, struct arguments *arguments, struct conversion *how, enum size *size, int *which)
{
    *how = (struct conversion){.precision = -1};
    at = named(at, which);
    for (;; at++)
        switch (*at) {
        case '-': how->left = true; break;
        case '+': how->plus = true; break;
        case ' ': how->blank = true; break;
        case '#': how->other = true; break;
        case '0': how->zeros = true; break;
        case '\'': break;
        default: goto width;
        }
width:
    at = *at == '*' ? star(at, arguments, &how->width) : number(at, &how->width);
    if (how->width < 0) {
        how->left = true;
        how->width = how->width == INT_MIN ? INT_MAX : -how->width;
    }
    if (*at == '.') {
        at++;
        at = *at == '*' ? star(at, arguments, &how->precision) : number(at, &how->precision);
    }
    at = read_size(at, size);
    how->letter = *at;
    return *at ? at + 1 : at;
}
/* Where a format names its arguments, all of them, each as the conversion has it that names it; false: it does not. */
static bool collect(const char *format, struct arguments *arguments)
{
    char letters[NUMBERED] = {0};
    enum size sizes[NUMBERED] = {0};
    int most = 0;
    for (const char *at = format; (at = strchr(at, '%'));) {
        struct conversion how;
        enum size size;
        int which;
        const char *start = ++at;
        /* Widths and precisions that are named are ints. */
        arguments->named = true;
        at = read_conversion(at, arguments, &how, &size, &which);
        for (const char *star = start; star < at; star++) {
            int argument;
            if (*star == '*' && *named(star + 1, &argument) && argument >= 1 && argument <= NUMBERED) {
                letters[argument - 1] = 'd';
                most = argument > most ? argument : most;
            }
        }
        if (which == 0 && (how.letter == '%' || how.letter == 'm'))
            continue;
        if (which < 1 || which > NUMBERED)
            return arguments->named = false;
        letters[which - 1] = how.letter;
        sizes[which - 1] = size;
        most = which > most ? which : most;
    }
    for (int n = 0; n < most; n++)
        arguments->all[n] = take(&arguments->rest, letters[n] ? letters[n] : 'd', sizes[n]);
    return arguments->named = most > 0;
}
static void tell(void *to, enum size size, size_t count)
{
    switch (size) {
    case CHAR: *(signed char *)to = count; break;
    case SHORT: *(short *)to = count; break;
    case INT: *(int *)to = count; break;
    default: *(long *)to = count;
    }
}
static void convert(struct output *out, struct conversion *how, enum size size, union argument argument)
{
    switch (how->letter) {
    case 'd':
    case 'i': {
        intmax_t value = argument.whole;
        put_integer(out, how, value < 0 ? -(uintmax_t)value : (uintmax_t)value, value < 0);
        break;
    }
    case 'p':
        how->other = true;
        /* fall through */
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'b': put_integer(out, how, argument.whole, false); break;
    case 'c': {
        wchar_t wide[] = {argument.whole};
        char byte = argument.whole;
        how->precision = -1;
        if (size == LONG && wide[0])
            put_wide(out, how, wide, 1);
        else
            put_text(out, how, &byte, 1);
        break;
    }
    case 's': put_string(out, how, argument.pointer, size == LONG); break;
    case 'S': put_string(out, how, argument.pointer, true); break;
    case 'n': tell(argument.pointer, size, out->count); break;
    default: __pebble_put_floating(out, how, argument.floating, size == LONG_DOUBLE ? 112 : 52);
    }
}
static void convert_all(struct output *out, const char *format, struct arguments *arguments, int error)
{
    while (*format) {
        size_t plain = strcspn(format, "%");
        put_all(out, format, plain);
        format += plain;
        if (!*format)
            break;
        struct conversion how;
        enum size size;
        int which;
        const char *start = format;
        format = read_conversion(format + 1, arguments, &how, &size, &which);
        if (how.letter == '%')
            __pebble_put(out, '%');
        else if (how.letter == 'm')
            put_string(out, &how, strerror(error), false);
        else if (how.letter && strchr("aAeEfFgGdiouxXbcsSpn", how.letter))
            convert(out, &how, size, arguments->named ? arguments->all[which - 1] : take(&arguments->rest, how.letter, size));
        else
            /* Nothing is known of it, so neither is its argument. */
            put_all(out, start, format - start);
    }
}
/* To a stream without a buffer, which has one for this call, and writes what there is at once. */
static void convert_unbuffered(struct output *out, const char *format, struct arguments *arguments, int error)
{
    enum { ROOM = 256 };
    struct __file_bufio *f = __pebble_buffered(out->file);
    char room[ROOM], *buffer = f->buf;
    __pebble_flush(out->file);
    f->buf = room;
    f->size = ROOM;
    convert_all(out, format, arguments, error);
    out->failed |= __pebble_flush(out->file) < 0;
    f->buf = buffer;
    f->size = 1;
}
int __pebble_vfprintf(FILE *file, const char *format, va_list rest, bool wide)
{
    int error = errno;
    struct output out = {.file = file, .wide = wide};
    struct arguments arguments;
    __pebble_lock(file);
    if (!__pebble_is_for(file, __SWR)) {
        __pebble_unlock(file);
        return EOF;
    }
    va_copy(arguments.rest, rest);
    collect(format, &arguments);
    struct __file_bufio *f = __pebble_buffered(file);
    if (f && f->size == 1)
        convert_unbuffered(&out, format, &arguments, error);
    else
        convert_all(&out, format, &arguments, error);
    va_end(arguments.rest);
    __pebble_unlock(file);
    return out.failed ? EOF : out.count > INT_MAX ? (errno = EOVERFLOW, EOF) : (int)out.count;
}
int vfprintf(FILE *file, const char *format, va_list rest)
{
    return __pebble_vfprintf(file, format, rest, false);
}
