/* What the benchmark programs share: measuring in cycles of the core (instructions under -icount), and the rows they print.
   A program's first argument is how often an operation is repeated in one run; the figure is the median of RUNS runs, less
   what the empty loop costs. */
#ifndef BENCH_H
#define BENCH_H

#include <pebble.h>

#define RUNS 5

static inline unsigned long cycles(void)
{
    unsigned long c;
    __asm__ volatile("rdcycle %0" : "=r"(c) : : "memory");
    return c;
}
static inline int compare_samples(const void *a, const void *b)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    return x < y ? -1 : x > y;
}
/* Sorts; the median. */
static inline unsigned long median(unsigned long *samples, int count)
{
    qsort(samples, count, sizeof *samples, compare_samples);
    return samples[count / 2];
}
/* Cycles of `count` times `operation`, the loop included. */
#define MEASURE_LOOP(count, operation)                 \
    ({                                                 \
        unsigned long samples_[RUNS];                  \
        for (int run_ = 0; run_ < RUNS; run_++) {      \
            unsigned long start_ = cycles();           \
            for (int i_ = 0; i_ < (count); i_++) {     \
                operation;                             \
                __asm__ volatile("" : : : "memory");   \
            }                                          \
            samples_[run_] = cycles() - start_;        \
        }                                              \
        median(samples_, RUNS);                        \
    })
/* Cycles of one of `count` operations, rounded. */
#define MEASURE(count, operation)                                      \
    ({                                                                 \
        unsigned long empty_ = MEASURE_LOOP(count, (void)0);           \
        unsigned long all_ = MEASURE_LOOP(count, operation);           \
        (all_ - empty_ + (count) / 2) / (count);                       \
    })

struct row {
    const char *table, *operation, *specification, *background, *window, *measure;
    int domains;
};
static inline void print_row(struct row r, unsigned long value)
{
    printf("row table=%s operation=%s", r.table, r.operation);
    if (r.specification)
        printf(" specification=%s", r.specification);
    if (r.domains)
        printf(" domains=%d", r.domains);
    if (r.window)
        printf(" window=%s", r.window);
    if (r.background)
        printf(" background=%s", r.background);
    printf(" measure=%s value=%lu\n", r.measure, value);
}
#define ROW(value, ...) print_row((struct row){__VA_ARGS__}, value)

static inline int repetitions(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    return count > 0 ? count : 1;
}
/* Opens a portal that the system has; without it nothing can be measured. */
static inline int open_or_exit(const char *name)
{
    int portal = portal_open(name);
    if (portal < 0) {
        fprintf(stderr, "bench: %s: %s\n", name, pebble_strerror(portal));
        exit(1);
    }
    return portal;
}
#endif
