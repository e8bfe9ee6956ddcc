/* strtod and its kin: the nearest number to what the text says, half to even, whatever the number of its digits. In the place of picolibc's, which
   (as of 1.8) take no more than 17 digits, and hexadecimal ones with a point and no exponent for larger ones.

   What is decimal is kept so, in words of nine digits, and doubled or halved until its whole part has as many bits as the format; then that is
   rounded by what is behind the point. */
#include "system.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <wchar.h>

typedef unsigned __int128 wide;

/* A binary format: bits of the fraction with the leading one, and the largest exponent of that. */
struct format {
    int bits, largest;
};
static const struct format single = {24, 127}, twofold = {53, 1023}, fourfold = {113, 16383};

#define BASE 1000000000u
#define DIGITS 9

/* The exponent of a number's leading bit that is rounded to 0, and below. */
static int smallest(const struct format *format)
{
    return 2 - format->largest - format->bits;
}
static wide bits_of(const struct format *format, wide fraction, int biased)
{
    return (fraction & (((wide)1 << (format->bits - 1)) - 1)) | (wide)biased << (format->bits - 1);
}
static wide infinite(const struct format *format)
{
    return bits_of(format, 0, 2 * format->largest + 1);
}
static wide too_large(const struct format *format)
{
    errno = ERANGE;
    return infinite(format);
}
/* whole * 2^exponent, where `behind` says how what was cut off compares with half of the last bit: -2 it is nothing, -1 less, 0 half, 1 more. */
static wide rounded(const struct format *format, wide whole, int exponent, int behind)
{
    whole += behind > 0 || (behind == 0 && (whole & 1));
    if (whole >> format->bits) {
        whole >>= 1;
        exponent++;
    }
    int normal = (int)(whole >> (format->bits - 1));
    if (!normal && behind != -2)
        errno = ERANGE;
    int biased = normal ? exponent + format->bits - 1 + format->largest : 0;
    return biased > 2 * format->largest ? too_large(format) : bits_of(format, whole, biased);
}

/* A decimal number: words [first, end) of nine digits, the most significant first, of which those before `point` are whole. */
struct decimal {
    uint32_t *words;
    int first, end, point;
};
static void trim(struct decimal *d)
{
    while (d->first < d->end && d->words[d->first] == 0)
        d->first++;
    while (d->end > d->first && d->words[d->end - 1] == 0)
        d->end--;
}
static void multiply(struct decimal *d, int shift)
{
    uint64_t carry = 0;
    for (int n = d->end; n-- > d->first;) {
        uint64_t product = ((uint64_t)d->words[n] << shift) + carry;
        d->words[n] = product % BASE;
        carry = product / BASE;
    }
    if (carry)
        d->words[--d->first] = carry;
    trim(d);
}
/* By at most nine bits: 2^9 divides BASE. */
static void divide(struct decimal *d, int shift)
{
    uint32_t rest = 0, below = BASE >> shift;
    for (int n = d->first; n < d->end; n++) {
        uint32_t word = d->words[n];
        d->words[n] = (word >> shift) + rest * below;
        rest = word & ((1u << shift) - 1);
    }
    if (rest)
        d->words[d->end++] = rest * below;
    trim(d);
}
static uint32_t word_at(const struct decimal *d, int n)
{
    return n >= d->first && n < d->end ? d->words[n] : 0;
}
/* Bits of the whole part, counted to 200. */
static int whole_bits(const struct decimal *d, wide *whole)
{
    *whole = 0;
    for (int n = d->first; n < d->point; n++) {
        if (*whole >> 98)
            return 200;
        *whole = *whole * BASE + word_at(d, n);
    }
    int bits = 0;
    for (wide rest = *whole; rest; rest >>= 1)
        bits++;
    return bits;
}
static int compare_with_half(const struct decimal *d)
{
    uint32_t first = word_at(d, d->point);
    if (d->end <= d->point)
        return -2;
    if (first != BASE / 2)
        return first < BASE / 2 ? -1 : 1;
    return d->end > d->point + 1;
}
static wide scaled(struct decimal *d, const struct format *format)
{
    wide whole;
    int exponent = 0, bits;
    while ((bits = whole_bits(d, &whole)) > format->bits) {
        int step = bits - format->bits < 9 ? bits - format->bits : 9;
        divide(d, step);
        exponent += step;
    }
    /* Below the point nothing is lost by a large step, as long as the whole part stays small enough. */
    while ((bits = whole_bits(d, &whole)) < format->bits && exponent > smallest(format)) {
        int step = d->first > d->point + 3 ? 29 : format->bits - bits;
        step = step < 29 ? step : 29;
        step = step < exponent - smallest(format) ? step : exponent - smallest(format);
        multiply(d, step);
        exponent -= step;
    }
    whole_bits(d, &whole);
    return rounded(format, whole, exponent, compare_with_half(d));
}
/* What is known of a text's digits: `count` of them that count, the first at `at`, with an exponent of ten behind all. */
struct digits {
    const char *at;
    long count, exponent;
};
static wide from_digits(struct digits digits, const struct format *format)
{
    /* More can only say that there is something more: a tie has fewer. */
    long most = format->bits == 113 ? 11600 : format->bits == 53 ? 800 : 130, kept = digits.count < most ? digits.count : most;
    long point = digits.count + digits.exponent, limit = format->largest * 31l / 100 + 40;
    if (point > limit)
        return too_large(format);
    if (point < -limit - 20 - format->bits) {
        errno = ERANGE;
        return 0;
    }
    long before = point > 0 ? point : 0, behind = kept - point > 0 ? kept - point : 0;
    /* Room for what multiplying puts in front, and dividing behind. */
    long front = before / DIGITS + 8, back = behind / DIGITS + 8 + before * 4 / DIGITS;
    uint32_t words[front + back];
    memset(words, 0, sizeof words);
    struct decimal d = {words, 0, (int)(front + back), (int)front};
    /* The place of the first digit: `point` digits are before the point. */
    long place = front * DIGITS - point;
    static const uint32_t tens[DIGITS] = {100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    const char *at = digits.at;
    int more = 0;
    for (long n = 0; n < digits.count; at++) {
        if (*at == '.')
            continue;
        if (n < kept)
            words[(place + n) / DIGITS] += (*at - '0') * tens[(place + n) % DIGITS];
        else
            more |= *at != '0';
        n++;
    }
    if (more)
        words[(place + kept) / DIGITS] += tens[(place + kept) % DIGITS];
    trim(&d);
    return scaled(&d, format);
}
/* The exponent behind `letter`, where there is one; else where it would begin. */
static const char *read_exponent(const char *at, char letter, long *value)
{
    *value = 0;
    if ((*at | 0x20) != letter)
        return at;
    const char *digit = at + 1;
    int negative = *digit == '-';
    digit += *digit == '-' || *digit == '+';
    if (!isdigit((unsigned char)*digit))
        return at;
    for (; isdigit((unsigned char)*digit); digit++)
        *value = *value < 10000000 ? *value * 10 + (*digit - '0') : *value;
    *value = negative ? -*value : *value;
    return digit;
}
static wide read_decimal(const char *text, const char **end, const struct format *format)
{
    struct digits digits = {0};
    const char *at = text;
    int any = 0;
    long behind = 0;
    for (int point = 0; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        any = 1;
        behind += point;
        if (*at != '0' && !digits.at)
            digits.at = at;
        digits.count += digits.at != NULL;
    }
    if (!any)
        return 0;
    at = read_exponent(at, 'e', &digits.exponent);
    *end = at;
    digits.exponent -= behind;
    return digits.count ? from_digits(digits, format) : 0;
}
static int hexadecimal(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}
/* `text` is behind 0x. */
static wide read_hexadecimal(const char *text, const char **end, const struct format *format)
{
    wide whole = 0;
    long exponent = 0, power;
    int any = 0, more = 0, full;
    const char *at = text;
    for (int point = 0; isxdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        any = 1;
        /* Digits for which there is no room count as zeros, and something more. */
        full = (whole >> 120) != 0;
        more |= full && *at != '0';
        whole = full ? whole : whole << 4 | hexadecimal(*at);
        exponent += (full ? 4 : 0) - (point ? 4 : 0);
    }
    if (!any)
        return 0;
    *end = read_exponent(at, 'p', &power);
    exponent += power;
    if (!whole)
        return 0;
    int bits = 0;
    for (wide rest = whole; rest; rest >>= 1)
        bits++;
    if (exponent + bits - 1 > format->largest)
        return too_large(format);
    long cut = bits - format->bits, least = smallest(format) - exponent;
    cut = cut > least ? cut : least;
    if (cut <= 0)
        return rounded(format, whole << -cut, (int)(exponent + cut), more ? -1 : -2);
    if (cut > bits + 1)
        return rounded(format, 0, smallest(format), -1);
    wide half = (wide)1 << (cut - 1), rest = whole & (half - 1);
    int behind = whole & half ? (rest || more) : rest || more ? -1 : -2;
    return rounded(format, cut > 127 ? 0 : whole >> cut, (int)(exponent + cut), behind);
}
static const char *behind_word(const char *at, const char *wanted)
{
    for (; *wanted; at++, wanted++)
        if ((*at | 0x20) != *wanted)
            return NULL;
    return at;
}
static const char *behind_nan(const char *at)
{
    const char *end = at;
    if (*at != '(')
        return at;
    while (isalnum((unsigned char)*++end) || *end == '_')
        ;
    return *end == ')' ? end + 1 : at;
}
static wide read_floating(const char *text, char **end, const struct format *format)
{
    const char *at = text, *behind = text, *found;
    while (isspace((unsigned char)*at))
        at++;
    int negative = *at == '-', bits = format->bits == 113 ? 128 : format->bits == 53 ? 64 : 32;
    at += *at == '-' || *at == '+';
    wide value;
    if ((found = behind_word(at, "infinity")) || (found = behind_word(at, "inf"))) {
        behind = found;
        value = infinite(format);
    } else if ((found = behind_word(at, "nan"))) {
        behind = behind_nan(found);
        value = infinite(format) | (wide)1 << (format->bits - 2);
    } else if (at[0] == '0' && (at[1] | 0x20) == 'x' && (isxdigit((unsigned char)at[2]) || (at[2] == '.' && isxdigit((unsigned char)at[3])))) {
        value = read_hexadecimal(at + 2, &behind, format);
    } else {
        value = read_decimal(at, &behind, format);
    }
    if (end)
        *end = (char *)behind;
    return behind > text && negative ? value | (wide)1 << (bits - 1) : value;
}
double strtod(const char *restrict text, char **restrict end)
{
    uint64_t bits = read_floating(text, end, &twofold);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
float strtof(const char *restrict text, char **restrict end)
{
    uint32_t bits = read_floating(text, end, &single);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
long double strtold(const char *restrict text, char **restrict end)
{
    wide bits = read_floating(text, end, &fourfold);
    long double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
double atof(const char *text)
{
    return strtod(text, NULL);
}
float atoff(const char *text)
{
    return strtof(text, NULL);
}
double strtod_l(const char *restrict text, char **restrict end, locale_t locale)
{
    (void)locale;
    return strtod(text, end);
}
float strtof_l(const char *restrict text, char **restrict end, locale_t locale)
{
    (void)locale;
    return strtof(text, end);
}
long double strtold_l(const char *restrict text, char **restrict end, locale_t locale)
{
    (void)locale;
    return strtold(text, end);
}
