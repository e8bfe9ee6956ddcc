/* Embedded table 3: how late a thread wakes that sleeps until a time, while a background thread of lower priority does
   something. The time that it should wake at is random, as in the paper: between MIN and MAX ticks away. Then the same while that domain
   does its worst to keep interrupts off. */
#include "bench.h"
#include "hostile.h"

#define MIN 2000
#define MAX 6000
#define BACKGROUND 10 /* priority: below the measuring thread's */
#define THREADS 400   /* of a hostile domain */
#define MANY 100        /* repetitions: fewer are for the model of a core, on which the hostile loads would take hours */
#define SAMPLES 500     /* of each hostile load */
#define STARTED 200000  /* ticks after which a background domain has opened what it calls */
#define SETTLED 2000000 /* ticks after which a hostile one is at work */

static int partner, ping, pong;

static word nothing(word a, word b, word c, word d)
{
    return a + b + c + d;
}
static void spin(void)
{
    for (volatile int i = 0; i < 1000; i++)
        ;
}
static void short_circuit(void)
{
    get_asid();
}
static void call(void)
{
    invoke_portal(partner, 1l, 2l, 3l, 4l);
}
static void post_and_wait(void)
{
    sem_post(ping);
    sem_wait(pong);
}
static void answer(void)
{
    sem_wait(ping);
    sem_post(pong);
}
/* A domain that does `what` for ever. */
static int background(void (*what)(void))
{
    int child = domain_fork(NULL);
    if (child != 0)
        return child;
    set_priority(BACKGROUND);
    if (what == call)
        partner = open_or_exit("app.nothing");
    for (;;)
        what();
}
static void stop(int child)
{
    domain_kill(child);
    domain_wait(child, NULL);
}
/* Lateness in ticks of hrtime is half of that in cycles. Sorts. */
static void lateness(unsigned long *late, int count)
{
    for (int i = 0; i < count; i++) {
        unsigned long delay = MIN + random() % (MAX - MIN), start = hrtime();
        hrsleep(delay);
        late[i] = 2 * (hrtime() - start - delay);
    }
    median(late, count);
}
static void measure(const char *name, int count)
{
    unsigned long late[count];
    hrsleep(STARTED);
    lateness(late, count);
    unsigned long middle = late[count / 2];
    ROW(middle, .table = "embedded-3", .operation = "interrupt-latency", .background = name, .measure = "median");
    ROW(late[count * 99 / 100], .table = "embedded-3", .operation = "interrupt-latency", .background = name, .measure = "p99");
    ROW(late[count - 1], .table = "embedded-3", .operation = "interrupt-latency", .background = name, .measure = "max");
}
/* The latest wake-up behind each load. */
static void hostile(int count)
{
    unsigned long late[count];
    for (int n = 0; n < HOSTILE_LOADS; n++) {
        int child = hostile_load(n, THREADS, BACKGROUND);
        hrsleep(SETTLED);
        lateness(late, count);
        stop(child);
        ROW(late[count - 1], .table = "embedded-3", .operation = "interrupt-latency", .background = hostile_loads[n].name,
            .measure = "max");
    }
}
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*what)(void);
    } loads[] = {{"idle", spin}, {"short-circuit", short_circuit}, {"ipc", call}, {"yield", yield}};
    int count = repetitions(argc, argv);
    portal_register("app.nothing", "npiiii", nothing, NULL, 1);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        int child = background(loads[i].what);
        measure(loads[i].name, count);
        stop(child);
    }
    ping = sem_create(0);
    pong = sem_create(0);
    int answering = background(answer), posting = background(post_and_wait);
    measure("semaphore", count);
    stop(posting);
    stop(answering);
    if (count >= MANY)
        hostile(SAMPLES);
    return 0;
}
