/*
 * Which specifications: all up to a length, and a sample of the longer ones.
 */
#ifndef SPECIFICATIONS_H
#define SPECIFICATIONS_H
#include "oracle.h"

#define PLAIN       ((int)sizeof plain - 1)
#define WITH_LENGTH ((int)sizeof with_length - 1)

static const char *const heads[] = {"sm", "sp", "sf", "nm", "np", "nf"};
#define HEADS (int)(sizeof heads / sizeof *heads)

/* Of all there are, one in `share` is tried: the program's first argument, of which the campaign "whole" makes 1. */
static long share = 1;
/* Those that were met, right and wrong, and those of them that were tried. */
static long right, wrong, called, rejected;

static inline void count_anew(void) { right = wrong = called = rejected = 0; }

/* The place of the first letter that lacks its length, or 0. */
static int wrong_at(const char *spec)
{
    for (int n = 2; spec[n]; n++)
        if (strchr(with_length, spec[n]) && spec[n + 1] != 'i')
            return n + 1;
    return 0;
}
/* `body` for what begins with `spec` and has up to `letters` more. */
static void each(char *spec, int letters, void (*body)(const char *))
{
    size_t length = strlen(spec);
    body(spec);
    for (int n = 0; letters > 0 && n < PLAIN + WITH_LENGTH; n++) {
        spec[length] = n < PLAIN ? plain[n] : with_length[n - PLAIN];
        spec[length + 1] = 0;
        each(spec, letters - 1, body);
    }
    spec[length] = 0;
}
static inline void call_if_right(const char *spec)
{
    if (wrong_at(spec) || right++ % share)
        return;
    call_once(spec);
    called++;
}
static inline void reject_if_wrong(const char *spec)
{
    int place = wrong_at(spec);
    if (!place || wrong++ % share)
        return;
    strcpy(board->spec, spec);
    int result = portal_register("app.oracle", spec, watched_entry, board->constants, 0);
    if (result != -(ESPEC + 8 * 256 + place))
        fails("it must be rejected at %d: %x", place, -result);
    rejected++;
}
static inline void all_with(const char *head, int letters, void (*body)(const char *))
{
    char spec[NAMELEN];
    strcpy(spec, head);
    each(spec, letters, body);
}
/* How many there are with up to `letters` letters: of n letters j may be with their length, in C(n - j, j) places. */
static inline long right_ones(int letters)
{
    long sum = 0;
    for (int n = 0; n <= letters; n++)
        for (int j = 0; 2 * j <= n; j++) {
            long ways = 1;
            for (int k = 0; k < j; k++)
                ways = ways * (n - j - k) / (k + 1);
            for (int k = 0; k < n - j; k++)
                ways *= k < j ? WITH_LENGTH : PLAIN;
            sum += ways;
        }
    return sum;
}
static inline long strings(int letters)
{
    long sum = 0, count = 1;
    for (int n = 0; n <= letters; n++, count *= PLAIN + WITH_LENGTH)
        sum += count;
    return sum;
}

/* ---- A sample ---- */

/* The next of the pseudo-random numbers (splitmix64) that choose it. */
static unsigned long chosen;
static unsigned long choose(unsigned long below)
{
    unsigned long z = chosen += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}
/* `count` calls with any head and `least` to `most` letters, each letter as likely as the others that have room. */
static inline void sample(long count, int least, int most)
{
    for (long n = 0; n < count; n++) {
        char spec[NAMELEN];
        strcpy(spec, heads[choose(HEADS)]);
        int letters = least + choose(most - least + 1), end = 2 + letters;
        for (int at = 2; at < end; at++) {
            int letter = choose(at + 1 < end ? PLAIN + WITH_LENGTH : PLAIN);
            spec[at] = letter < PLAIN ? plain[letter] : with_length[letter - PLAIN];
            if (letter >= PLAIN)
                spec[++at] = 'i';
        }
        spec[end] = 0;
        call_once(spec);
    }
}
/* What the program is told: the share, and where the sample starts from, which is always the same if it is not said. */
static inline void start_sample(int argc, char **argv)
{
    share = argc > 1 ? atol(argv[1]) : 1;
    chosen = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
}
/* Whether one in `share` of `all` was tried. */
static inline int tried(long met, long all, long done) { return met == all && done == (all + share - 1) / share; }
/* The last line of a program that does so. */
static inline void say_share(void)
{
    printf("one in %ld was tried\n", share);
    fflush(stdout);
}
#endif
