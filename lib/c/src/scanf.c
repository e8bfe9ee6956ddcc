/* scanf, in the place of picolibc's (as of 1.8), which reads hexadecimal numbers and such of many digits wrongly, knows no letter `a`, and swallows
   what begins a number that is none. The other functions of its kind (sscanf, fscanf, …) are picolibc's, and call this one. */
#include "streams.h"
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <wchar.h>

enum size { CHAR = -2, SHORT, INT, LONG, LONG_DOUBLE };
/* What is read, and how much was. `ended`: there was nothing more where something was wanted. */
struct input {
    FILE *file;
    size_t count;
    bool ended;
};
/* The text of a number: as much as was matched of one, which may be as long as it likes. */
struct number {
    char *text, room[128];
    size_t length, size;
    bool failed;
};
static int next(struct input *in)
{
    int c = __pebble_get(in->file);
    in->count += c != EOF;
    in->ended = c == EOF;
    return c;
}
static void back(struct input *in, int c)
{
    if (c == EOF)
        return;
    __pebble_unget(in->file, c);
    in->count--;
}
static void add(struct number *number, int c)
{
    if (number->length + 1 == number->size) {
        char *moved = malloc(2 * number->size);
        if (!moved) {
            number->failed = true;
            return;
        }
        memcpy(moved, number->text, number->length);
        if (number->text != number->room)
            free(number->text);
        number->text = moved;
        number->size *= 2;
    }
    number->text[number->length++] = c;
}
/* Takes the next character into a number where it is one of `set`, whatever its case; and 0 where it is not, or nothing more may be read. */
static int accept(struct input *in, struct number *number, int *width, const char *set)
{
    if (*width == 0)
        return 0;
    int c = next(in);
    if (c == EOF || c == 0 || !strchr(set, tolower(c))) {
        back(in, c);
        return 0;
    }
    --*width;
    add(number, c);
    return tolower(c);
}
static size_t digits(struct input *in, struct number *number, int *width, const char *set)
{
    size_t count = 0;
    while (accept(in, number, width, set))
        count++;
    return count;
}
#define DECIMAL "0123456789"
#define HEXADECIMAL "0123456789abcdef"

/* The digits of a whole number: whether it is one. A prefix without digits is none. */
static bool match_whole(struct input *in, struct number *number, int width, int *base)
{
    accept(in, number, &width, "+-");
    size_t count = 0;
    if ((*base == 0 || *base == 16) && accept(in, number, &width, "0")) {
        count = 1;
        if (accept(in, number, &width, "x")) {
            *base = 16;
            return digits(in, number, &width, HEXADECIMAL) > 0;
        }
        *base = *base ? *base : 8;
    }
    *base = *base ? *base : 10;
    char set[] = HEXADECIMAL;
    set[*base] = 0;
    return count + digits(in, number, &width, set) > 0;
}
static bool match_word(struct input *in, struct number *number, int *width, const char *rest)
{
    for (char set[2] = ""; *rest; rest++) {
        set[0] = *rest;
        if (!accept(in, number, width, set))
            return false;
    }
    return true;
}
/* As strtod has it, but what begins as something longer has to be that. */
static bool match_floating(struct input *in, struct number *number, int width)
{
    accept(in, number, &width, "+-");
    int first = accept(in, number, &width, "in0");
    if (first == 'i') {
        if (!match_word(in, number, &width, "nf"))
            return false;
        return !accept(in, number, &width, "i") || match_word(in, number, &width, "nity");
    }
    if (first == 'n') {
        if (!match_word(in, number, &width, "an"))
            return false;
        if (!accept(in, number, &width, "("))
            return true;
        digits(in, number, &width, HEXADECIMAL "ghijklmnopqrstuvwxyz_");
        return accept(in, number, &width, ")");
    }
    bool hexadecimal = first && accept(in, number, &width, "x");
    const char *set = hexadecimal ? HEXADECIMAL : DECIMAL;
    size_t count = digits(in, number, &width, set) + (first && !hexadecimal);
    if (accept(in, number, &width, "."))
        count += digits(in, number, &width, set);
    if (count == 0)
        return false;
    if (!accept(in, number, &width, hexadecimal ? "p" : "e"))
        return true;
    accept(in, number, &width, "+-");
    return digits(in, number, &width, DECIMAL) > 0;
}
static void store_whole(void *to, enum size size, uintmax_t value)
{
    switch (size) {
    case CHAR: *(char *)to = value; break;
    case SHORT: *(short *)to = value; break;
    case INT: *(int *)to = value; break;
    default: *(long *)to = value;
    }
}
static void store_floating(void *to, enum size size, const char *text)
{
    switch (size) {
    case LONG_DOUBLE: *(long double *)to = strtold(text, NULL); break;
    case LONG: *(double *)to = strtod(text, NULL); break;
    default: *(float *)to = strtof(text, NULL);
    }
}
/* One conversion, as the format has it. */
struct conversion {
    bool ignored, allocates;
    int width; /* < 0: none was given */
    enum size size;
    char letter;
    bool set[UCHAR_MAX + 1]; /* of [ and s: what is taken */
};
static bool convert_number(struct input *in, const struct conversion *how, void *to)
{
    struct number number = {.size = sizeof number.room};
    number.text = number.room;
    bool floating = strchr("aAeEfFgG", how->letter);
    int base = how->letter == 'i' ? 0 : how->letter == 'o' ? 8 : strchr("xXp", how->letter) ? 16 : 10;
    int width = how->width < 0 ? INT_MAX : how->width;
    bool matched = floating ? match_floating(in, &number, width) : match_whole(in, &number, width, &base);
    number.text[number.length] = 0;
    if (matched && !number.failed && to) {
        if (floating)
            store_floating(to, how->size, number.text);
        else if (strchr("di", how->letter))
            store_whole(to, how->size, strtoimax(number.text, NULL, base));
        else
            store_whole(to, how->letter == 'p' ? LONG : how->size, strtoumax(number.text, NULL, base));
    }
    if (number.text != number.room)
        free(number.text);
    /* An end behind what began a number is none of the input's. */
    in->ended &= number.length == 0;
    return matched && !number.failed;
}
/* Where text goes: bytes or wide characters, into memory of the caller's or of ours. */
struct text {
    char *bytes;
    wchar_t *wide;
    bool allocates;
    size_t length, size;
    mbstate_t state;
};
static bool put(struct text *text, int c)
{
    wchar_t wide = c;
    bool is_wide = text->wide != NULL;
    if (is_wide) {
        size_t taken = mbrtowc(&wide, &(char){c}, 1, &text->state);
        if (taken == (size_t)-2)
            return true;
        if (taken == (size_t)-1)
            return false;
    }
    if (text->allocates && text->length + 1 >= text->size) {
        size_t size = 2 * text->size;
        void *moved = realloc(is_wide ? (void *)text->wide : text->bytes, size * (is_wide ? sizeof wide : 1));
        if (!moved)
            return false;
        text->size = size;
        if (is_wide)
            text->wide = moved;
        else
            text->bytes = moved;
    }
    if (is_wide)
        text->wide[text->length++] = wide;
    else if (text->bytes)
        text->bytes[text->length++] = c;
    return true;
}
static bool convert_text(struct input *in, const struct conversion *how, void *to)
{
    struct text text = {.allocates = how->allocates && to, .size = 32};
    bool is_wide = how->size >= LONG;
    void *place = text.allocates ? malloc(text.size * (is_wide ? sizeof(wchar_t) : 1)) : to;
    if (to && !place)
        return false;
    text.bytes = is_wide ? NULL : place;
    text.wide = is_wide ? place : NULL;
    int width = how->width >= 0 ? how->width : how->letter == 'c' ? 1 : INT_MAX, count = 0, c = 0;
    bool good = true;
    for (; count < width && good && (c = next(in)) != EOF; count++) {
        if (how->letter != 'c' && !how->set[c]) {
            back(in, c);
            break;
        }
        good = put(&text, c);
    }
    good = good && count > 0 && (how->letter != 'c' || count == width);
    in->ended &= count == 0;
    if (text.allocates && !good) {
        free(is_wide ? (void *)text.wide : text.bytes);
    } else if (place) {
        if (how->letter != 'c' && is_wide)
            text.wide[text.length] = 0;
        else if (how->letter != 'c')
            text.bytes[text.length] = 0;
        if (text.allocates)
            *(void **)to = is_wide ? (void *)text.wide : text.bytes;
    }
    return good;
}
/* What is between brackets: `at` is behind the first. */
static const char *read_set(const char *at, bool set[])
{
    bool taken = *at != '^';
    at += !taken;
    memset(set, !taken, UCHAR_MAX + 1);
    for (const char *start = at; *at && (*at != ']' || at == start); at++) {
        unsigned char first = *at, last = first;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            last = at[2];
            at += 2;
        }
        for (int c = first; c <= last; c++)
            set[c] = taken;
    }
    return *at ? at + 1 : at;
}
/* `at` is behind the percent sign. */
static const char *read_conversion(const char *at, struct conversion *how)
{
    *how = (struct conversion){.width = -1, .size = INT};
    if (*at == '*') {
        how->ignored = true;
        at++;
    }
    if (isdigit((unsigned char)*at))
        for (how->width = 0; isdigit((unsigned char)*at); at++)
            how->width = how->width > (INT_MAX - 9) / 10 ? INT_MAX : how->width * 10 + (*at - '0');
    if (*at == 'm') {
        how->allocates = true;
        at++;
    }
    for (;; at++)
        switch (*at) {
        case 'h': how->size = how->size == SHORT ? CHAR : SHORT; continue;
        case 'l':
        case 'j':
        case 'z':
        case 't': how->size = LONG; continue;
        case 'L': how->size = LONG_DOUBLE; continue;
        default: goto letter;
        }
letter:
    how->letter = *at;
    if (!*at)
        return at;
    at++;
    if (how->letter == 'S' || how->letter == 'C') {
        how->letter = how->letter == 'S' ? 's' : 'c';
        how->size = LONG;
    }
    if (how->letter == '[')
        return read_set(at, how->set);
    for (int c = 0; c <= UCHAR_MAX; c++)
        how->set[c] = !isspace(c);
    return at;
}
static void skip_space(struct input *in)
{
    int c;
    while (isspace(c = next(in)))
        ;
    back(in, c);
}
/* How many were converted, or EOF where the input ended before any was, or could be. */
static int convert_all(struct input *in, const char *format, va_list *rest)
{
    int converted = 0;
    while (*format) {
        if (isspace((unsigned char)*format)) {
            skip_space(in);
            format++;
            continue;
        }
        struct conversion how = {.letter = '%'};
        unsigned char wanted = *format++;
        if (wanted == '%')
            format = read_conversion(format, &how);
        if (how.letter == '%') {
            if (wanted == '%')
                skip_space(in);
            int c = next(in);
            if (c != wanted) {
                back(in, c);
                break;
            }
            continue;
        }
        void *to = how.ignored ? NULL : va_arg(*rest, void *);
        if (how.letter == 'n') {
            if (to)
                store_whole(to, how.size, in->count);
            continue;
        }
        if (how.letter != 'c' && how.letter != '[')
            skip_space(in);
        bool number = how.letter && strchr("diouxXpaAeEfFgG", how.letter);
        if (!number && !(how.letter && strchr("cs[", how.letter)))
            break;
        if (!(number ? convert_number(in, &how, to) : convert_text(in, &how, to)))
            break;
        converted += !how.ignored;
    }
    return converted == 0 && in->ended ? EOF : converted;
}
int vfscanf(FILE *file, const char *format, va_list rest)
{
    struct input in = {.file = file};
    va_list copy;
    va_copy(copy, rest);
    __pebble_lock(file);
    int result = convert_all(&in, format, &copy);
    __pebble_unlock(file);
    va_end(copy);
    return result;
}
