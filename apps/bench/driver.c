/* Drivers before and after one line of their blocks (apps/bench/systems/bench-driver.toml, and bench-driver-supervisor.toml, which has them in supervisor mode):
   how long the clock's takes from its interrupt to the thread that serves it, and what it takes to write to the console, whose driver
   waits for an interrupt of its own behind each 16 bytes; alone, and beside a domain that calls another one or passes a semaphore round for ever. */
#include "bench.h"
#include <unistd.h>

#define BACKGROUND 10  /* priority: below the program's */
#define SETTLED 400000 /* ticks after which a background domain is at work */
#define MIN 20000      /* ns until an alarm */
#define MAX 60000
#define SAMPLES 200
#define LINE 1024

static int partner, ping, pong;

static word nothing(word a, word b, word c) { return a + b + c; }
static void calls(void) { invoke_portal(partner, 1l, 2l, 3l); }
static void posts(void) { sem_post(ping), sem_wait(pong); }
static void answers(void) { sem_wait(ping), sem_post(pong); }

static int background(void (*what)(void))
{
    int child = domain_fork(NULL);
    if (child != 0)
        return child;
    set_priority(BACKGROUND);
    if (what == calls)
        partner = open_or_exit("app.nothing");
    for (;;)
        what();
}
static void stop(int child)
{
    domain_kill(child), domain_wait(child, NULL);
}
static void rows(const char *operation, const char *load, unsigned long *samples, int count)
{
    struct row row = {.table = "driver", .operation = operation, .background = load};
    unsigned long middle = median(samples, count);
    row.measure = "median", print_row(row, middle);
    row.measure = "p99", print_row(row, samples[count * 99 / 100]);
    row.measure = "max", print_row(row, samples[count - 1]);
}
static char line[LINE];
/* The last so many of a line. */
static void writes(size_t bytes)
{
    write(STDERR_FILENO, line + LINE - bytes, bytes);
}
static void measure(const char *load, int model)
{
    static unsigned long samples[SAMPLES];
    int now = open_or_exit("alarm.now"), late = open_or_exit("alarm.late");
    for (int n = 0; n < SAMPLES; n++)
        samples[n] = invoke_portal(now);
    rows("interrupt", load, samples, SAMPLES);
    /* By the device's time, which only the model's goes by cycles: 10 ns each. */
    for (int n = 0; model && n < SAMPLES; n++)
        samples[n] = invoke_portal(late, (word)(MIN + random() % (MAX - MIN))) / 10;
    if (model)
        rows("alarm", load, samples, SAMPLES);
    int few = model ? 4 : 40;
    print_row((struct row){.table = "driver", .operation = "console", .background = load, .measure = "1-byte"}, MEASURE(few, writes(1)));
    print_row((struct row){.table = "driver", .operation = "console", .background = load, .measure = "1024-bytes"}, MEASURE(few, writes(LINE)));
    portal_close(now), portal_close(late);
}
int main(int argc, char **argv)
{
    int model = argc > 1 && !strcmp(argv[1], "model"), ready = sem_create(0);
    memset(line, '.', sizeof line);
    line[LINE - 1] = '\n';
    ping = sem_create(0), pong = sem_create(0);
    int server = domain_fork(NULL);
    if (server == 0) {
        portal_register("app.nothing", "npiii", nothing, NULL, 1);
        sem_post(ready);
        thread_exit();
    }
    sem_wait(ready);
    measure("idle", model);
    int child = background(calls);
    hrsleep(SETTLED);
    measure("ipc", model);
    stop(child);
    int one = background(answers), other = background(posts);
    hrsleep(SETTLED);
    measure("semaphore", model);
    stop(one), stop(other), stop(server);
    return 0;
}
