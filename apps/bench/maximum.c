/* The table of "Domains of protection" (1995): Max() of two integers behind a protected procedure call, in another task, in a library, behind a
   trap, and in a server that is found by its name; the parts of the protected call; and how the difference fades as the procedure gets longer.
   Warm is one of many calls in a row; cold, the median of calls each of which comes after the instruction cache was emptied and more was read
   than data caches and translation buffers hold. */
#include "bench.h"

enum { PAGE = 4096, COLD = 9, EVICTED = 128 * 1024 };

/* Called each time, whatever its caller knows of its result. */
static __attribute__((noipa)) word maximum(word a, word b)
{
    return a > b ? a : b;
}
/* Max() of `count` pairs, one after the other. */
static __attribute__((noipa)) word maxima(word a, word b, word count)
{
    word largest = 0;
    for (word n = 0; n < count; n++) {
        word of_both = maximum(a ^ n, b);
        if (of_both > largest)
            largest = of_both;
    }
    return largest;
}
/* When the procedure began, and when it returned: in a page that both sides see. */
struct moments {
    unsigned long begin, end;
};
static union {
    struct moments moments;
    char page[PAGE];
} shared __attribute__((aligned(PAGE)));
static word timed_maximum(word a, word b, struct moments *moments)
{
    moments->begin = cycles();
    word result = maximum(a, b);
    moments->end = cycles();
    return result;
}
DP_MODULE(module, maximum, maxima, timed_maximum)
enum { MAXIMUM, MAXIMA, TIMED };

static char evicted[EVICTED];
static int repeated;

static void evict(void)
{
    for (volatile char *place = evicted; place < evicted + EVICTED; place += 16)
        (void)*place;
    __asm__ volatile("fence.i" : : : "memory");
}
static void figure(const char *operation, const char *measure, unsigned long value)
{
    ROW(value, .table = "protection-1995", .operation = operation, .measure = measure);
}
/* What one call costs when it is called again and again, and when nothing of it is in a cache. */
#define WARM_AND_COLD(operation, call)                         \
    do {                                                       \
        figure(operation, "warm", MEASURE(repeated, call));    \
        unsigned long samples_[COLD];                          \
        for (int n_ = 0; n_ < COLD; n_++) {                    \
            evict();                                           \
            unsigned long start_ = cycles();                   \
            call;                                              \
            samples_[n_] = cycles() - start_;                  \
        }                                                      \
        figure(operation, "cold", median(samples_, COLD));     \
    } while (0)

/* The parts of the protected call: from the caller to the procedure's first instruction, the procedure, and back. */
static void parts(int dp)
{
    unsigned long call[RUNS * 5], procedure[RUNS * 5], back[RUNS * 5];
    enum { SAMPLES = sizeof call / sizeof *call };
    for (int n = 0; n < SAMPLES; n++) {
        unsigned long start = cycles();
        dp_call(dp, module, TIMED, 0, 3, 4, &shared.moments);
        unsigned long end = cycles();
        call[n] = shared.moments.begin - start;
        procedure[n] = shared.moments.end - shared.moments.begin;
        back[n] = end - shared.moments.end;
    }
    figure("call-part", "warm", median(call, SAMPLES));
    figure("procedure-part", "warm", median(procedure, SAMPLES));
    figure("return-part", "warm", median(back, SAMPLES));
}
static void serve(int ready, int stop)
{
    portal_register("app.maximum", "npii", maximum, NULL, 1);
    portal_register("app.maxima", "npiii", maxima, NULL, 1);
    sem_post(ready);
    sem_wait(stop);
    _Exit(0);
}
int main(int argc, char **argv)
{
    repeated = repetitions(argc, argv);
    int stop = sem_create(0), ready = sem_create(0), server = domain_fork(NULL);
    if (server == 0)
        serve(ready, stop);
    sem_wait(ready);
    int task = open_or_exit("app.maximum"), task_maxima = open_or_exit("app.maxima"), named = open_or_exit("chain.s-two");
    int dp = dp_create("maximum");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) ||
        dp_make_visible(dp, &shared, sizeof shared, PAGE_READ | PAGE_WRITE))
        return printf("no domain of protection: %s\n", pebble_strerror(dp)), 1;
    if (dp_call(dp, module, MAXIMUM, 0, 3, 4) != 4 || invoke_portal(task, 3l, 4l) != 4 || maximum(3, 4) != 4 ||
        dp_call(dp, module, MAXIMA, 0, 3, 4, 9) != maxima(3, 4, 9) || invoke_portal(task_maxima, 3l, 4l, 9l) != maxima(3, 4, 9))
        return 2;
    WARM_AND_COLD("library", maximum(3, 4));
    WARM_AND_COLD("ppc", dp_call(dp, module, MAXIMUM, 0, 3, 4));
    WARM_AND_COLD("separate-tasks", invoke_portal(task, 3l, 4l));
    WARM_AND_COLD("trap", get_asid());
    WARM_AND_COLD("named-server", invoke_portal(named, 3l, 4l));
    parts(dp);
    static const int counts[] = {1, 10, 100, 1000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        char name[32];
        word count = counts[n];
        int few = repeated / count + 1;
        snprintf(name, sizeof name, "library-%ld", count);
        figure(name, "warm", MEASURE(few, maxima(3, 4, count)));
        snprintf(name, sizeof name, "ppc-%ld", count);
        figure(name, "warm", MEASURE(few, dp_call(dp, module, MAXIMA, 0, 3, 4, count)));
        snprintf(name, sizeof name, "separate-tasks-%ld", count);
        figure(name, "warm", MEASURE(few, invoke_portal(task_maxima, 3l, 4l, count)));
    }
    dp_destroy(dp);
    sem_post(stop);
    domain_wait(server, NULL);
    return 0;
}
