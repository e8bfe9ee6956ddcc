/* Conversions of numbers, for comparison with another C library: each of many doubles in each of many formats, then integers, text, widths,
   arguments by their numbers. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Left out is 999999.5, of which glibc, before 2.37, says 1.e+06 for %#g. */
static const double chosen[] = {
    0, -0.0, 1, 0.5, 1.5, 2.5, 0.1, 9.995, 99.95, 1e5, 1e6, 123456789, 1e-4, 1e-5, 0.00012345, DBL_MAX, DBL_MIN, 5e-324, 1e22,
    1e23, 0.3, 2.0 / 3, 1e15, 1e16, 1e17, 9.5, 0.05, 0.25, INFINITY, -INFINITY, 0x1.8p0, 0x1.28p0, -0x1.f8p-1022, 3.141592653589793,
};
static const char *const formats[] = {
    "%f", "%.0f", "%#.0f", "%e", "%.0e", "%g", "%.3g", "%#g", "%.17g", "%+10.2f", "%-12.4e|", "%012.3f", "% g", "%G", "%.15g",
    "%.20f", "%.40g", "%A", "%a", "%.2a", "%.0a", "%+.20a", "%#.0e", "%#.3g", "%.1f", "%.2f", "%15g|", "%-15g|", "%015g|",
};
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define RANDOM 300

/* Any bits, numbers with nine places, and numbers with three. */
static double drawn(unsigned n)
{
    static uint64_t seed = 88172645463325252ull;
    double value;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    memcpy(&value, &seed, sizeof value);
    return n % 3 == 0 ? (double)(int64_t)seed / 1e9 : n % 3 == 1 ? (double)(seed % 100000) / 1000 : value;
}
int main(void)
{
    for (unsigned n = 0; n < COUNT(chosen) + RANDOM; n++) {
        double value = n < COUNT(chosen) ? chosen[n] : drawn(n);
        for (unsigned format = 0; format < COUNT(formats) && value == value; format++) {
            printf(formats[format], value);
            putchar('\n');
        }
    }
    printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%.0d|%x|%#x|%#o|%o|%X|%#X|%u\n", -3, 42, 42, 42, 42, 42, 7, 7, 7, 0, 255, 255, 8,
           8, 255, 255, 4294967295u);
    printf("%hhd|%hd|%ld|%lld|%jd|%zd|%td|%hhu|%hu|%lu\n", (int)300, (int)70000, -1L, -2LL, (intmax_t)-3, (ssize_t)-4, (ptrdiff_t)-5, 300,
           70000, ~0ul);
    printf("%s|%10s|%-10s|%.2s|%.0s|%c|%5c|%-5c|%%\n", "abc", "abc", "abc", "abc", "abc", 'x', 'y', 'z');
    printf("%*d|%-*d|%.*f|%*.*f|%.*d\n", 5, 1, 5, 2, 2, 3.14159, 8, 3, 2.71828, -1, 5);
    printf("%2$s %1$s %3$*4$d\n", "a", "b", 7, 5);
    int count;
    printf("abc%n", &count);
    printf(" %d\n", count);
    char text[8];
    volatile size_t room = sizeof text;
    printf("%d %s\n", snprintf(text, room, "%.10f", 1.0 / 3), text);
    return 0;
}
