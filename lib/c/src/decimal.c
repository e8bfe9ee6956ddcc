/* Floating-point numbers in text, all digits exact: a number is an integer times a power of two, which is written out in decimal and
   rounded there, half to even. */
#include "printf.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Decimal digits in a word, and what they count to: 2^9 divides it. */
#define DIGITS 9
#define BASE 1000000000u
#define SHIFT 9

typedef unsigned __int128 wide;

/* A finite number: mantissa * 2^exponent. */
struct parts {
    wide mantissa;
    int exponent;
};
static struct parts take_apart(long double value)
{
    wide bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 112) & 0x7fff;
    wide fraction = bits & (((wide)1 << 112) - 1);
    if (exponent)
        fraction |= (wide)1 << 112;
    struct parts parts = {fraction, (exponent ? exponent : 1) - 16383 - 112};
    /* Short numbers have short powers of two. */
    while (parts.mantissa && !(parts.mantissa & 1)) {
        parts.mantissa >>= 1;
        parts.exponent++;
    }
    return parts;
}
/* Words before the point and behind it that a number needs, at most. */
static size_t words_before(struct parts parts)
{
    return 5 + (parts.exponent > 0 ? parts.exponent / 29 + 1 : 0);
}
static size_t words_behind(struct parts parts)
{
    return parts.exponent < 0 ? -parts.exponent / SHIFT + 1 : 0;
}
/* Writes a number out in words of nine digits, the most significant first: `before` of them stand before the point. */
static void write_out(struct parts parts, uint32_t *words, size_t before, size_t behind)
{
    memset(words, 0, (before + behind) * sizeof *words);
    for (size_t n = before; parts.mantissa; parts.mantissa /= BASE)
        words[--n] = (uint32_t)(parts.mantissa % BASE);
    for (int left = parts.exponent, step; left > 0; left -= step) {
        step = left < 29 ? left : 29;
        uint32_t carry = 0;
        for (size_t n = before; n-- > 0;) {
            uint64_t product = ((uint64_t)words[n] << step) + carry;
            words[n] = product % BASE;
            carry = product / BASE;
        }
    }
    size_t used = before;
    for (int left = -parts.exponent, step; left > 0; left -= step) {
        step = left < SHIFT ? left : SHIFT;
        uint32_t carry = 0;
        used += used < before + behind;
        for (size_t n = 0; n < used; n++) {
            uint32_t rest = words[n] & ((1u << step) - 1);
            words[n] = (words[n] >> step) + carry;
            carry = (BASE >> step) * rest;
        }
    }
}
/* A number in decimal: digits, of which `point` stand before the point. */
struct decimal {
    char *digits;
    int count, point;
};
static void spell(const uint32_t *words, size_t count, char *digits)
{
    for (size_t n = 0; n < count; n++)
        for (uint32_t place = DIGITS, word = words[n]; place-- > 0; word /= 10)
            digits[n * DIGITS + place] = '0' + word % 10;
}
/* Takes leading zeros away, where more than a point's place is before them. */
static void trim(struct decimal *number)
{
    while (number->count > 0 && *number->digits == '0') {
        number->digits++;
        number->count--;
        number->point--;
    }
}
/* Cuts to `kept` digits, which may be less than none, half to even. There is room for one more in front. */
static void round_to(struct decimal *number, int kept)
{
    if (kept >= number->count)
        return;
    int up = 0;
    if (kept >= 0) {
        char next = number->digits[kept];
        int more = 0;
        for (int n = kept + 1; n < number->count; n++)
            more |= number->digits[n] != '0';
        int odd = kept > 0 && (number->digits[kept - 1] & 1);
        up = next > '5' || (next == '5' && (more || odd));
    }
    number->count = kept > 0 ? kept : 0;
    if (kept < 0)
        number->point = 0;
    int n = number->count;
    while (up && n > 0) {
        n--;
        up = number->digits[n] == '9';
        number->digits[n] = up ? '0' : number->digits[n] + 1;
    }
    if (up) {
        *--number->digits = '1';
        number->count++;
        number->point++;
    }
}
static char digit(const struct decimal *number, int n)
{
    return n >= 0 && n < number->count ? number->digits[n] : '0';
}
static const char *sign_of(const struct conversion *how, int negative)
{
    return negative ? "-" : how->plus ? "+" : how->blank ? " " : "";
}
static void put_exponent(struct output *out, int exponent, char letter, int least)
{
    char digits[8];
    unsigned rest = exponent < 0 ? -exponent : exponent;
    int count = 0;
    __pebble_put(out, letter);
    __pebble_put(out, exponent < 0 ? '-' : '+');
    for (; rest || count < least; rest /= 10)
        digits[count++] = '0' + rest % 10;
    while (count--)
        __pebble_put(out, digits[count]);
}
static int exponent_length(int exponent, int least)
{
    int count = 0;
    for (unsigned rest = exponent < 0 ? -exponent : exponent; rest; rest /= 10)
        count++;
    return 2 + (count > least ? count : least);
}
/* As f has it: all digits before the point, and `places` behind it. */
static void put_plain(struct output *out, const struct conversion *how, const char *sign, const struct decimal *number, int places)
{
    int before = number->point > 0 ? number->point : 1, has_point = places > 0 || how->other;
    size_t length = (size_t)before + has_point + places;
    __pebble_before(out, how, sign, length);
    for (int n = number->point - before; n < number->point; n++)
        __pebble_put(out, digit(number, n));
    if (has_point)
        __pebble_put(out, '.');
    for (int n = 0; n < places; n++)
        __pebble_put(out, digit(number, number->point + n));
    __pebble_behind_number(out, how, sign, length);
}
/* As e has it: one digit before the point. */
static void put_scientific(struct output *out, const struct conversion *how, const char *sign, const struct decimal *number, int places)
{
    int exponent = number->point - 1, has_point = places > 0 || how->other;
    size_t length = (size_t)1 + has_point + places + exponent_length(exponent, 2);
    __pebble_before(out, how, sign, length);
    __pebble_put(out, digit(number, 0));
    if (has_point)
        __pebble_put(out, '.');
    for (int n = 1; n <= places; n++)
        __pebble_put(out, digit(number, n));
    put_exponent(out, exponent, how->letter & 0x20 ? 'e' : 'E', 2);
    __pebble_behind_number(out, how, sign, length);
}
/* Of `places` behind the point, those up to the last that is no 0, where `before` digits stand before it. */
static int needed(struct decimal *number, int places, int before)
{
    while (number->count > 0 && number->digits[number->count - 1] == '0')
        number->count--;
    int behind = number->count - before;
    return behind < 0 ? 0 : behind < places ? behind : places;
}
static void put_decimal(struct output *out, const struct conversion *how, const char *sign, long double value)
{
    struct parts parts = take_apart(value);
    size_t before = words_before(parts), behind = words_behind(parts);
    uint32_t words[before + behind];
    char digits[(before + behind) * DIGITS + 1];
    write_out(parts, words, before, behind);
    spell(words, before + behind, digits + 1);
    struct decimal number = {digits + 1, (int)((before + behind) * DIGITS), (int)before * DIGITS};
    trim(&number);
    if (number.count == 0)
        number.point = 1;
    int precision = how->precision < 0 ? 6 : how->precision;
    switch (how->letter | 0x20) {
    case 'f':
        round_to(&number, number.point > 0 && precision > INT_MAX - number.point ? INT_MAX : number.point + precision);
        put_plain(out, how, sign, &number, precision);
        break;
    case 'e':
        round_to(&number, precision < INT_MAX ? precision + 1 : INT_MAX);
        put_scientific(out, how, sign, &number, precision);
        break;
    default:
        precision = precision ? precision : 1;
        round_to(&number, precision);
        if (number.point > -4 && number.point <= precision) {
            int places = precision - number.point;
            put_plain(out, how, sign, &number, how->other ? places : needed(&number, places, number.point));
        } else {
            put_scientific(out, how, sign, &number, how->other ? precision - 1 : needed(&number, precision - 1, 1));
        }
    }
}
/* As a has it: the mantissa in hexadecimal. */
static void put_hexadecimal(struct output *out, const struct conversion *how, const char *sign, long double value, int bits)
{
    const char *digits = how->letter == 'A' ? "0123456789ABCDEF" : "0123456789abcdef";
    wide fraction;
    memcpy(&fraction, &value, sizeof fraction);
    int biased = (int)(fraction >> 112) & 0x7fff, least = bits == 112 ? -16382 : -1022;
    fraction &= ((wide)1 << 112) - 1;
    int exponent = fraction || biased ? (biased ? biased : 1) - 16383 : 0;
    if (biased && exponent >= least)
        fraction |= (wide)1 << 112;
    if (value != 0 && exponent < least) {
        /* A double without a leading 1 has one here. */
        fraction = (fraction | (wide)1 << 112) >> (least - exponent);
        exponent = least;
    }
    int places = bits / 4;
    if (how->precision >= 0 && how->precision < places) {
        int cut = 112 - 4 * how->precision;
        wide half = (wide)1 << (cut - 1), rest = fraction & ((half << 1) - 1);
        fraction >>= cut;
        fraction += rest > half || (rest == half && (fraction & 1));
        fraction <<= cut;
        places = how->precision;
    } else if (how->precision < 0) {
        while (places > 0 && !(fraction >> (112 - 4 * places) & 15))
            places--;
    }
    char prefix[4];
    int zeros = how->precision > places ? how->precision - places : 0, has_point = places > 0 || zeros > 0 || how->other;
    size_t length = (size_t)1 + has_point + places + zeros + exponent_length(exponent, 1);
    strcat(strcpy(prefix, sign), how->letter == 'A' ? "0X" : "0x");
    __pebble_before(out, how, prefix, length);
    __pebble_put(out, digits[(int)(fraction >> 112)]);
    if (has_point)
        __pebble_put(out, '.');
    for (int n = 1; n <= places; n++)
        __pebble_put(out, digits[(int)(fraction >> (112 - 4 * n) & 15)]);
    while (zeros--)
        __pebble_put(out, '0');
    put_exponent(out, exponent, how->letter == 'A' ? 'P' : 'p', 1);
    __pebble_behind_number(out, how, prefix, length);
}
void __pebble_put_floating(struct output *out, const struct conversion *how, long double value, int bits)
{
    const char *sign = sign_of(how, signbit(value) != 0);
    int small = how->letter & 0x20;
    if (!isfinite(value)) {
        struct conversion text = *how;
        text.zeros = 0;
        __pebble_before(out, &text, sign, 3);
        for (const char *at = isnan(value) ? (small ? "nan" : "NAN") : (small ? "inf" : "INF"); *at; at++)
            __pebble_put(out, *at);
        __pebble_behind_number(out, &text, sign, 3);
        return;
    }
    value = fabsl(value);
    if ((how->letter | 0x20) == 'a')
        put_hexadecimal(out, how, sign, value, bits);
    else
        put_decimal(out, how, sign, value);
}
