// system ends
// timeout 60
// expect stdout files: its descriptor EDEAD, its lock too; by name it is gone, and another is made and locked
// expect stdout a pipe: who waits for it gets EDEAD, and a new one works
// expect stdout a mapped file: what was touched is there, touching another page ends who does
// expect stdout an alarm: EDEAD to who waits, and the next one comes
// expect stdout capabilities: one of before is none any more, and new ones are made
// expect stdout a signal: it comes, and a new instance takes none until it says so
// expect stdout a semaphore that its taker has not given back stays taken
#define PEBBLE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* What a client has open is found as the book's table says ("Supervision") when the server behind it has ended. */
static int ending(const char *name)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, others[9];
    } domain;
    int inspect = portal_open("inspect.domain"), destroy = portal_open("domain.destroy"), result = -ESRCH;
    long before = component_watch(name, -1, 0);
    for (int number = 1; number < 100 && result == -ESRCH; number++)
        if (invoke_portal(inspect, number, &domain) >= 0 && !strcmp(domain.name, name))
            result = invoke_portal(destroy, number);
    portal_close(inspect), portal_close(destroy);
    /* Until the next one runs. */
    for (long state = component_watch(name, before, 1000 * MILLISECOND); result == 0 && (state & 3) != COMPONENT_RUNS;)
        state = component_watch(name, state, 2000 * MILLISECOND);
    return result;
}
static int is_dead(long result) { return result < 0 && errno == EDEAD; }

static int sides[2];
static volatile int reads_error, alarm_result;
static void reads(void *unused)
{
    char byte;
    reads_error = read(sides[0], &byte, 1) < 0 ? errno : 0;
}
/* What a page says; a copy of this domain looks, which a fault ends. */
static int status_of_a_look(const volatile char *page)
{
    pid_t child = fork();
    if (child == 0)
        _exit(*page == 'x' ? 7 : 8);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}
static void files(void)
{
    static char page[4096];
    memset(page, 'x', sizeof page);
    int file = open("held", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int good = write(file, page, sizeof page) == sizeof page && write(file, page, sizeof page) == sizeof page && flock(file, LOCK_EX) == 0;
    const volatile char *mapped = mmap(0, 2 * sizeof page, PROT_READ, MAP_PRIVATE, file, 0);
    int touched = mapped != MAP_FAILED && mapped[1] == 'x';
    pipe(sides);
    int thread = thread_create(reads, 0, -1);
    hrsleep(20 * MILLISECOND);
    good &= ending("files") == 0;
    thread_join(thread);
    char byte;
    good &= is_dead(pread(file, &byte, 1, 0)) && is_dead(flock(file, LOCK_UN)) && close(file) == 0;
    int gone = open("held", O_RDWR);
    good &= gone < 0 && errno == ENOENT;
    int again = open("held", O_RDWR | O_CREAT, 0600);
    good &= again >= 0 && flock(again, LOCK_EX | LOCK_NB) == 0;
    puts(good ? "files: its descriptor EDEAD, its lock too; by name it is gone, and another is made and locked" : "files: not so");
    int dead = is_dead(write(sides[1], "x", 1));
    close(sides[0]), close(sides[1]);
    int works = pipe(sides) == 0 && write(sides[1], "y", 1) == 1 && read(sides[0], &byte, 1) == 1 && byte == 'y';
    puts(reads_error == EDEAD && dead && works ? "a pipe: who waits for it gets EDEAD, and a new one works" : "a pipe: not so");
    int first = touched && mapped[2] == 'x', second = status_of_a_look(mapped + sizeof page);
    puts(first && WIFSIGNALED(second) ? "a mapped file: what was touched is there, touching another page ends who does" : "a mapped file: not so");
}
static int alarm_portal;
static void waits(void *at) { alarm_result = invoke_portal(alarm_portal, (word)at); }
static void clock_ends(void)
{
    int now = portal_open("clock.time");
    alarm_portal = portal_open("clock.alarm");
    word time = invoke_portal(now);
    int thread = thread_create(waits, (void *)(time + 30000000000), -1);
    hrsleep(20 * MILLISECOND);
    int good = time > 0 && ending("clock") == 0;
    thread_join(thread);
    good &= alarm_result == -EDEAD && invoke_portal(alarm_portal, time) == -EDEAD;
    portal_close(alarm_portal), portal_close(now);
    alarm_portal = opened("clock.alarm"), now = opened("clock.time");
    waits((void *)(invoke_portal(now) + 10000000));
    puts(good && alarm_result == 0 ? "an alarm: EDEAD to who waits, and the next one comes" : "an alarm: not so");
}
static void capabilities(void)
{
    struct cap_info info;
    word before = cap_create(7, 1, 0);
    int good = before > 0 && cap_info(before, &info) == 0 && info.object == 7;
    good &= ending("capabilities") == 0;
    word after = cap_create(8, 1, 0);
    int none = cap_info(before, &info);
    good &= after > 0 && cap_info(after, &info) == 0 && info.object == 8;
    puts(good && none == -EBADF ? "capabilities: one of before is none any more, and new ones are made" : "capabilities: not so");
    if (!good || none != -EBADF)
        printf("%ld %d %ld\n", (long)before, none, (long)after);
}
static void signals(void)
{
    int takes = opened("signalled.takes"), has = opened("signalled.has"), send = portal_open("init.signal");
    word first = invoke_portal(takes);
    int sent = invoke_portal(send, first, (long)SIGUSR1);
    for (int n = 0; n < 100 && invoke_portal(has) != SIGUSR1; n++)
        hrsleep(MILLISECOND);
    int came = invoke_portal(has) == SIGUSR1, ended = ending("signalled") == 0;
    portal_close(takes), portal_close(has);
    takes = opened("signalled.takes"), has = opened("signalled.has");
    /* Its number, by way of who is asked for it without its taking any. */
    int nothing = invoke_portal(has) == 0;
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, others[9];
    } domain;
    int inspect = portal_open("inspect.domain"), number = 1;
    while (number < 100 && (invoke_portal(inspect, number, &domain) < 0 || strcmp(domain.name, "signalled")))
        number++;
    int refused = invoke_portal(send, number, (long)SIGUSR1);
    word second = invoke_portal(takes);
    int taken = invoke_portal(send, second, (long)SIGUSR1);
    puts(sent == 0 && came && ended && nothing && second == number && refused == -ESRCH && taken == 0
             ? "a signal: it comes, and a new instance takes none until it says so" : "a signal: not so");
}
static void semaphore(void)
{
    int semaphore = sem_create(1);
    pid_t child = fork();
    if (child == 0) {
        sem_wait(semaphore);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    int taken = sem_trywait(semaphore);
    puts(taken == -EAGAIN ? "a semaphore that its taker has not given back stays taken" : "a semaphore: not so");
    sem_destroy(semaphore);
}
int main(void)
{
    int check = portal_open("inspect.check");
    files();
    clock_ends();
    capabilities();
    signals();
    semaphore();
    return !all_holds(check, "in the end");
}
