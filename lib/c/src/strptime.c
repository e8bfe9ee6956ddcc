/* strptime, in the place of picolibc's, which (as of 1.8) takes hours and days that there are not. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};

/* A number from `least` to `most`, of as many digits as the largest has. */
static const char *number(const char *at, int least, int most, int *value)
{
    int digits = 0, read = 0;
    while (isspace((unsigned char)*at))
        at++;
    for (int rest = most; rest || digits == 0; rest /= 10)
        digits++;
    const char *start = at;
    for (; isdigit((unsigned char)*at) && at - start < digits; at++)
        read = read * 10 + (*at - '0');
    if (at == start || read < least || read > most)
        return NULL;
    *value = read;
    return at;
}
static const char *word(const char *at, const char *const words[], int count, int *value)
{
    for (int n = 0; n < count; n++) {
        size_t whole = strlen(words[n]);
        size_t length = strncasecmp(at, words[n], whole) == 0 ? whole : strncasecmp(at, words[n], 3) == 0 ? 3 : 0;
        if (length) {
            *value = n;
            return at + length;
        }
    }
    return NULL;
}
/* What is known before the end is reached: halves of a day, and parts of a year. */
struct parts {
    int afternoon, hour12, century, year, has_date;
};
static const char *zone(const char *at, struct tm *tm)
{
    (void)tm;
    if (*at == 'Z')
        return at + 1;
    int hours, minutes = 0;
    if (*at != '+' && *at != '-')
        return NULL;
    at = number(at + 1, 0, 99, &hours);
    if (at && *at == ':')
        at++;
    return at && isdigit((unsigned char)*at) ? number(at, 0, 59, &minutes) : at;
}
static const char *read(const char *at, const char *format, struct tm *tm, struct parts *parts);
static const char *convert(const char *at, char letter, struct tm *tm, struct parts *parts)
{
    static const char *const halves[] = {"AM", "PM"};
    int value = 0;
    switch (letter) {
    case 'a':
    case 'A': return word(at, days, 7, &tm->tm_wday);
    case 'b':
    case 'B':
    case 'h': parts->has_date = 1; return word(at, months, 12, &tm->tm_mon);
    case 'c': return read(at, "%a %b %e %H:%M:%S %Y", tm, parts);
    case 'C': return number(at, 0, 99, &parts->century);
    case 'd':
    case 'e': parts->has_date = 1; return number(at, 1, 31, &tm->tm_mday);
    case 'D':
    case 'x': return read(at, "%m/%d/%y", tm, parts);
    case 'F': return read(at, "%Y-%m-%d", tm, parts);
    case 'H':
    case 'k': parts->hour12 = -1; return number(at, 0, 23, &tm->tm_hour);
    case 'I':
    case 'l': return number(at, 1, 12, &parts->hour12);
    case 'j': at = number(at, 1, 366, &value); tm->tm_yday = value - 1; return at;
    case 'm': at = number(at, 1, 12, &value); tm->tm_mon = value - 1; parts->has_date = 1; return at;
    case 'M': return number(at, 0, 59, &tm->tm_min);
    case 'n':
    case 't':
        while (isspace((unsigned char)*at))
            at++;
        return at;
    case 'p':
        for (int n = 0; n < 2; n++)
            if (strncasecmp(at, halves[n], 2) == 0) {
                parts->afternoon = n;
                return at + 2;
            }
        return NULL;
    case 'r': return read(at, "%I:%M:%S %p", tm, parts);
    case 'R': return read(at, "%H:%M", tm, parts);
    case 'S': return number(at, 0, 60, &tm->tm_sec);
    case 's': {
        time_t seconds = 0;
        if (!isdigit((unsigned char)*at))
            return NULL;
        for (; isdigit((unsigned char)*at); at++)
            if (__builtin_mul_overflow(seconds, 10, &seconds) || __builtin_add_overflow(seconds, *at - '0', &seconds))
                return NULL;
        return localtime_r(&seconds, tm) ? at : NULL;
    }
    case 'T':
    case 'X': return read(at, "%H:%M:%S", tm, parts);
    case 'u': at = number(at, 1, 7, &value); tm->tm_wday = value % 7; return at;
    case 'U':
    case 'W':
    case 'V': return number(at, 0, 53, &value);
    case 'w': return number(at, 0, 6, &tm->tm_wday);
    case 'y': return number(at, 0, 99, &parts->year);
    case 'Y': at = number(at, 0, 9999, &value); tm->tm_year = value - 1900; parts->has_date = 1; return at;
    case 'Z':
        while (isupper((unsigned char)*at))
            at++;
        return at;
    case 'z': return zone(at, tm);
    case '%': return *at == '%' ? at + 1 : NULL;
    default: return NULL;
    }
}
static const char *read(const char *at, const char *format, struct tm *tm, struct parts *parts)
{
    for (; at && *format; format++) {
        if (isspace((unsigned char)*format)) {
            while (isspace((unsigned char)*at))
                at++;
        } else if (*format != '%') {
            at = *at == *format ? at + 1 : NULL;
        } else {
            format++;
            if (*format == 'E' || *format == 'O')
                format++;
            if (!*format)
                return NULL;
            at = convert(at, *format, tm, parts);
        }
    }
    return at;
}
static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
/* The days of the week and of the year, of a date that was read. */
static void complete(struct tm *tm)
{
    static const short before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    static const char offset[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    int year = tm->tm_year + 1900, counted = year - (tm->tm_mon < 2);
    if (tm->tm_mday < 1)
        return;
    tm->tm_yday = before[tm->tm_mon] + tm->tm_mday - 1 + (tm->tm_mon > 1 && is_leap(year));
    /* Sakamoto 1992. */
    tm->tm_wday = (counted + counted / 4 - counted / 100 + counted / 400 + offset[tm->tm_mon] + tm->tm_mday) % 7;
}
char *strptime(const char *restrict text, const char *restrict format, struct tm *restrict tm)
{
    struct parts parts = {.afternoon = -1, .hour12 = -1, .century = -1, .year = -1};
    const char *end = read(text, format, tm, &parts);
    if (!end)
        return NULL;
    if (parts.hour12 >= 0)
        tm->tm_hour = parts.hour12 % 12 + (parts.afternoon == 1 ? 12 : 0);
    if (parts.year >= 0)
        tm->tm_year = parts.century >= 0 ? parts.century * 100 + parts.year - 1900 : parts.year + (parts.year < 69 ? 100 : 0);
    else if (parts.century >= 0)
        tm->tm_year = parts.century * 100 - 1900;
    if (parts.has_date && tm->tm_mon >= 0 && tm->tm_mon < 12)
        complete(tm);
    return (char *)end;
}
