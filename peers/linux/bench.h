/* What the measurements of Linux share. Time is measured with rdtime, which every Linux lets programs read: on the machine
   that `./pebble bench` uses (QEMU's -icount shift=0) an instruction is a nanosecond of virtual time, and a tick of rdtime
   100 of them. A figure is the median of RUNS runs of so many operations that the resolution does not matter, less what the
   empty loop costs: the same method as in apps/bench/bench.h. Interrupts that arrive are counted with the rest. */
#ifndef BENCH_H
#define BENCH_H

#define RUNS 5
#define INSTRUCTIONS_PER_TICK 100

static inline unsigned long ticks(void)
{
    unsigned long now;
    __asm__ volatile("rdtime %0" : "=r"(now) : : "memory");
    return now;
}
/* Instructions of `count` times `operation`, the loop included. */
#define MEASURE_LOOP(count, operation)                                           \
    ({                                                                           \
        unsigned long samples_[RUNS];                                            \
        for (int run_ = 0; run_ < RUNS; run_++) {                                \
            unsigned long start_ = ticks();                                      \
            for (int i_ = 0; i_ < (count); i_++) {                               \
                operation;                                                       \
                __asm__ volatile("" : : : "memory");                             \
            }                                                                    \
            samples_[run_] = (ticks() - start_) * INSTRUCTIONS_PER_TICK;         \
        }                                                                        \
        median(samples_, RUNS);                                                  \
    })
/* Instructions of one of `count` operations, rounded. The first one warms up. */
#define MEASURE(count, operation)                                      \
    ({                                                                 \
        operation;                                                     \
        unsigned long empty_ = MEASURE_LOOP(count, (void)0);           \
        unsigned long all_ = MEASURE_LOOP(count, operation);           \
        (all_ - empty_ + (count) / 2) / (count);                       \
    })

/* Sorts; the median. */
unsigned long median(unsigned long *samples, int count);

/* One figure, as host/src/bench/row.rs reads it. */
struct row {
    const char *table, *operation, *measure;
    int domains; /* 0: does not apply */
};
void print_row(struct row row, unsigned long value);
#define ROW(value, ...) print_row((struct row){__VA_ARGS__}, value)

/* Says what failed and why (errno), and stops the machine. */
_Noreturn void fail(const char *what);
/* Ends the measurement with `what` if `result` is -1. */
#define CHECK(result, what) ((result) == -1 ? fail(what) : (void)0)

/* Runs the caller before all others until it blocks or yields (SCHED_FIFO), or like any other again. */
void be_realtime(int yes);

void measure_calls(void);
void measure_rings(void);
void measure_maximum(void);
void measure_faults(void);
void measure_first_touch(void);
void measure_processes(void);
void measure_timer(void);
#endif
