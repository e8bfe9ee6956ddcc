/* The first process of a Linux that exists to be measured: runs the measurements, prints a row for each and a last line,
   powers the machine off. The host tool builds it, makes it /init of an initramfs, boots it and reads the console
   (host/src/linux). Nothing here needs a kernel feature that the tiny configuration lacks. */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Seconds until the kernel has done what it does in the background after booting; idle time passes at once. */
#define SETTLE 10

static _Noreturn void power_off(void)
{
    fflush(stdout);
    tcdrain(STDOUT_FILENO);
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
void fail(const char *what)
{
    printf("bench: %s: %s\n", what, strerror(errno));
    power_off();
}
static int compare_samples(const void *a, const void *b)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    return x < y ? -1 : x > y;
}
unsigned long median(unsigned long *samples, int count)
{
    qsort(samples, count, sizeof *samples, compare_samples);
    return samples[count / 2];
}
void print_row(struct row row, unsigned long value)
{
    printf("row table=%s operation=%s", row.table, row.operation);
    if (row.domains)
        printf(" domains=%d", row.domains);
    printf(" measure=%s value=%lu unit=instructions\n", row.measure, value);
    /* The serial line's interrupts must not be counted with what comes next. */
    fflush(stdout);
    tcdrain(STDOUT_FILENO);
}
void be_realtime(int yes)
{
    struct sched_param parameters = {.sched_priority = yes ? 50 : 0};
    CHECK(sched_setscheduler(0, yes ? SCHED_FIFO : SCHED_OTHER, &parameters), "sched_setscheduler");
}
/* Lets SCHED_FIFO have the whole processor; a kernel without the setting does not take any of it away. */
static void lift_realtime_limit(void)
{
    int file = open("/proc/sys/kernel/sched_rt_runtime_us", O_WRONLY);
    if (file < 0)
        return;
    CHECK(write(file, "-1", 2), "sched_rt_runtime_us");
    close(file);
}
/* Runs one group of measurements in a process of its own, so that it does not find what others left. */
static void run(void (*measure)(void))
{
    pid_t child = fork();
    CHECK(child, "fork");
    if (child == 0) {
        measure();
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0), "waitpid");
    if (WIFSIGNALED(status)) {
        printf("bench: a measurement ended by signal %d\n", WTERMSIG(status));
        power_off();
    }
}
int main(void)
{
    if (getpid() != 1) {
        fprintf(stderr, "bench: this is for process 1 of a machine of its own: it ends by powering it off\n");
        return 1;
    }
    CHECK(mount("proc", "/proc", "proc", 0, NULL), "mount /proc");
    CHECK(mount("devtmpfs", "/dev", "devtmpfs", 0, NULL), "mount /dev");
    lift_realtime_limit();
    sleep(SETTLE);
    run(measure_calls);
    run(measure_rings);
    run(measure_maximum);
    run(measure_faults);
    run(measure_first_touch);
    run(measure_processes);
    run(measure_timer);
    printf("bench: done\n");
    power_off();
}
