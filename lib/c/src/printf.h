/* What the two parts of printf share: printf.c reads the format, decimal.c writes floating-point numbers out. */
#ifndef PEBBLE_PRINTF_H
#define PEBBLE_PRINTF_H
#include <stdbool.h>
#include <stdio.h>

/* Where characters go, and how many there were: bytes, or, where `wide`, the characters that these are in UTF-8. */
struct output {
    FILE *file;
    size_t count;
    bool failed, wide;
};
/* One conversion, as the format has it. */
struct conversion {
    bool left, plus, blank, other, zeros;
    int width, precision; /* precision < 0: none was given */
    char letter;
};
/* printf; where `wide`, widths, precisions and the result count characters, as those of the functions for wide characters do. */
int __pebble_vfprintf(FILE *file, const char *format, __gnuc_va_list rest, bool wide);
void __pebble_put(struct output *out, char c);
/* Puts what comes before `length` characters: blanks up to the width, a prefix (sign, 0x), or zeros. */
void __pebble_before(struct output *out, const struct conversion *how, const char *prefix, size_t length);
/* Puts what comes behind them. */
void __pebble_behind_number(struct output *out, const struct conversion *how, const char *prefix, size_t length);
/* Converts for a, e, f, g and their capitals. `bits`: of the fraction that the argument's type has, 52 or 112. */
void __pebble_put_floating(struct output *out, const struct conversion *how, long double value, int bits);
#endif
