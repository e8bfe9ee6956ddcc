// system supervising
// timeout 90
// icount
// expect stdout all run, each started once
// expect stdout the first fault: EDEAD, and with it those that can not do without it, not the one beside
// expect stdout the second: it starts again after a pause, those with it behind it
// expect stdout the third and the fourth: longer, and no longer than the longest
// expect stdout the fifth: who waits is told that it stays ended, and nobody is ended with it
// expect stdout started by hand, it begins anew
// expect stdout after a quiet period there is no pause
// expect stdout always, however it ends: 0 and 3; for a fault only: ended
// expect stdout one whose pauses are long enough is never given up
// expect stdout given up while it waits, it is not started: 0, and there is none any more: -3
// expect stdout a loop of failures takes less than a hundredth of the time
// expect stdout one that fails at once stays ended at once, and has been started 4 times
// expect stdout two that fail together: each once, and once who can not do without them
// expect stdout what waits and is started by hand runs once
// expect stdout a part is started again with its task, after the pause too, and given up with it
// expect stdout four threads wait, the fifth may not: -16
// expect stdout what can not be watched: -2 -2 -22 -22, and nothing happens: -116, at once: -116
// expect stderr starting source again
// expect stderr starting display again behind source
// expect stderr starting filter again behind source
// expect stderr starting source again in 60 ms
// expect stderr starting source again in 100 ms
// expect stderr source keeps failing and is not started again
#include <pebble.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* Each way in which a component is started again, or is not; what of it others see, and are told. */
enum { MEMBERS = 5, FAULT = -1 };
static const char *const member[MEMBERS] = {"source", "display", "filter", "aside", "patient"};
static long seen[MEMBERS];

static long condition(long state) { return state & 3; }
static long starts(long state) { return state >> 2; }
/* The state of a component once it is in that condition, within two seconds, or stays ended. */
static long until(const char *name, long wanted)
{
    long state = component_watch(name, -1, 0);
    while (condition(state) != wanted && condition(state) != COMPONENT_STAYS_ENDED) {
        long next = component_watch(name, state, 2000 * MILLISECOND);
        if (next < 0)
            break;
        state = next;
    }
    return state;
}
static word ends(const char *name, word how)
{
    int portal = called(name, "end");
    word result = invoke_portal(portal, how);
    portal_close(portal);
    return result;
}
static int spawned(const char *name)
{
    static char command[64] __attribute__((aligned(64)));
    snprintf(command, sizeof command, "%s", name);
    return invoke_portal(portal_open("init.spawn"), command, (long)strlen(name));
}
/* How often each was started since the last time that was asked for, once all run. */
static const char *started(void)
{
    static char all[40];
    int length = 0;
    for (int n = 0; n < MEMBERS; n++) {
        long state = until(member[n], COMPONENT_RUNS);
        length += sprintf(all + length, "%s%ld", n ? " " : "", condition(state) == COMPONENT_RUNS ? starts(state) - starts(seen[n]) : -1);
        seen[n] = state;
    }
    return all;
}
static int is(const char *said, const char *wanted, const char *what)
{
    if (strcmp(said, wanted))
        printf("%s: %s, and it should be %s\n", what, said, wanted);
    return !strcmp(said, wanted);
}
static word domain_of(const char *name)
{
    int portal = called(name, "who");
    word domain = invoke_portal(portal);
    portal_close(portal);
    return domain;
}
/* Those behind it in the manifest's order, which is not that in which they name each other: later domains have higher numbers. */
static int in_order(void) { return domain_of("source") < domain_of("display") && domain_of("display") < domain_of("filter"); }
/* Milliseconds that `source` does not run after a fault; in the pause those with it do not either, and the one beside it does. */
static long pause_after_fault(void)
{
    unsigned long long from = hrtime();
    if (ends("source", FAULT) != -EDEAD)
        return -1;
    hrsleep(20 * MILLISECOND);
    long states[MEMBERS];
    for (int n = 0; n < MEMBERS; n++)
        states[n] = condition(component_watch(member[n], -1, 0));
    for (int n = 0; n < MEMBERS; n++)
        if (states[n] != (n < 3 ? COMPONENT_STARTS_AGAIN : COMPONENT_RUNS))
            return -2 - n;
    if (portal_open("display.who") != -ENOENT)
        return -10;
    until("source", COMPONENT_RUNS);
    return (hrtime() - from) / MILLISECOND;
}
static void faults(void)
{
    if (is(started(), "1 1 1 1 1", "at first"))
        printf("all run, each started once\n");
    word died = ends("source", FAULT);
    if (is(started(), "1 1 1 0 0", "the first fault") && died == -EDEAD && in_order())
        printf("the first fault: EDEAD, and with it those that can not do without it, not the one beside\n");
    long pause = pause_after_fault();
    if (is(started(), "1 1 1 0 0", "the second fault") && pause >= 60 && pause < 100 && in_order())
        printf("the second: it starts again after a pause, those with it behind it\n");
    else
        printf("a pause of %ld ms\n", pause);
    long third = pause_after_fault(), fourth = pause_after_fault();
    if (third >= 100 && third < 150 && fourth >= 100 && fourth < 150)
        printf("the third and the fourth: longer, and no longer than the longest\n");
    else
        printf("pauses of %ld and %ld ms\n", third, fourth);
    started();
}
static volatile long told;
static void wait_for_the_end(void *seen) { told = component_watch("source", (long)seen, 2000 * MILLISECOND); }
static void stays_ended(void)
{
    /* Four starts lie within a period, be it that the first is no more. */
    int thread = -1, left = 6;
    while (left-- && condition(component_watch("source", -1, 0)) != COMPONENT_STAYS_ENDED) {
        told = 0;
        thread = thread_create(wait_for_the_end, (void *)until("source", COMPONENT_RUNS), -1);
        yield();
        started();
        ends("source", FAULT);
        thread_join(thread);
    }
    long last = until("source", COMPONENT_STAYS_ENDED);
    const char *others = started();
    if (is(others, "-1 0 0 0 0", "given up") && condition(told) == COMPONENT_STAYS_ENDED && told == last)
        printf("the fifth: who waits is told that it stays ended, and nobody is ended with it\n");
    else
        printf("told %#lx, it is %#lx\n", told, last);
}
static void by_hand(void)
{
    long before = component_watch("source", -1, 0);
    int domain = spawned("source");
    long now = until("source", COMPONENT_RUNS);
    ends("source", FAULT);
    until("source", COMPONENT_RUNS);
    if (domain > 0 && starts(now) == starts(before) + 1 && is(started(), "2 1 1 0 0", "by hand"))
        printf("started by hand, it begins anew\n");
    hrsleep(2100 * MILLISECOND);
    unsigned long long from = hrtime();
    ends("source", FAULT);
    until("source", COMPONENT_RUNS);
    if (hrtime() - from < 30 * MILLISECOND)
        printf("after a quiet period there is no pause\n");
    started();
}
static void always(void)
{
    word first = ends("aside", 0);
    const char *one = is(started(), "0 0 0 1 0", "after 0") ? "0" : "not";
    word second = ends("aside", 3);
    const char *other = is(started(), "0 0 0 1 0", "after 3") ? "3" : "not";
    printf("always, however it ends: %s and %s; ", first == -EDEAD ? one : "", second == -EDEAD ? other : "");
    ends("display", FAULT), ends("filter", 0);
    hrsleep(50 * MILLISECOND);
    int ended = condition(component_watch("display", -1, 0)) == COMPONENT_ENDED && condition(component_watch("filter", -1, 0)) == COMPONENT_ENDED;
    printf("for a fault only: %s\n", ended ? "ended" : "not");
}
static void patient(void)
{
    int lives = 0;
    while (lives < 8 && ends("patient", FAULT) == -EDEAD && condition(until("patient", COMPONENT_RUNS)) == COMPONENT_RUNS)
        lives++;
    if (lives == 8)
        printf("one whose pauses are long enough is never given up\n");
    ends("patient", FAULT);
    long state = until("patient", COMPONENT_STARTS_AGAIN);
    int given_up = condition(state) == COMPONENT_STARTS_AGAIN ? component_give_up("patient") : 1;
    hrsleep(100 * MILLISECOND);
    if (component_watch("patient", -1, 0) == (state & ~3l))
        printf("given up while it waits, it is not started: %d, and there is none any more: %d\n", given_up, component_give_up("patient"));
}
/* Its pauses are 0, 5, 10, 20, 20, … ms: while it fails, somebody else does his work. */
static void loop_of_failures(void)
{
    spawned("loops");
    unsigned long long from = hrtime(), last = from, others = 0;
    while (hrtime() - from < 250 * MILLISECOND) {
        unsigned long long now = hrtime();
        if (now - last > 10000) /* 20 µs in which this thread did not run */
            others += now - last;
        last = now;
    }
    long state = component_watch("loops", -1, 0);
    if (others * 100 < last - from && starts(state) >= 8 && condition(state) == COMPONENT_STARTS_AGAIN)
        printf("a loop of failures takes less than a hundredth of the time\n");
    else
        printf("%ld starts took %llu of %llu us\n", starts(state), others / 500, (last - from) / 500);
    component_give_up("loops");
}
static void at_once(void)
{
    spawned("fails");
    long state = until("fails", COMPONENT_STAYS_ENDED);
    printf("one that fails at once %s at once, and has been started %ld times\n", condition(state) == COMPONENT_STAYS_ENDED ? "stays ended" : "goes on", starts(state));
}
/* Nobody starts one of them before both have ended: this thread is above init while it ends them. */
static void together(void)
{
    hrsleep(2100 * MILLISECOND);
    started();
    int first = called("source", "who"), second = called("aside", "who");
    set_priority(62);
    word asids[] = {invoke_portal(first), invoke_portal(second)};
    int destroy = portal_open("domain.destroy");
    invoke_portal(destroy, asids[0]), invoke_portal(destroy, asids[1]);
    set_priority(20);
    portal_close(first), portal_close(second);
    if (is(started(), "1 1 1 1 0", "two at once"))
        printf("two that fail together: each once, and once who can not do without them\n");
}
static void by_hand_while_it_waits(void)
{
    int good = 0;
    /* While init decides, or just has, and in the pause. */
    for (int n = 0; n < 2; n++) {
        ends("source", FAULT), until("source", COMPONENT_RUNS);
        started();
        ends("source", FAULT), until("source", COMPONENT_STARTS_AGAIN);
        hrsleep(n * 20 * MILLISECOND);
        good += spawned("source") > 0 && is(started(), "1 1 1 0 0", "by hand");
        hrsleep(150 * MILLISECOND);
        good += is(started(), "0 0 0 0 0", "a while later");
    }
    if (good == 4)
        printf("what waits and is started by hand runs once\n");
}
static void parts(void)
{
    long first = until("part", COMPONENT_RUNS);
    ends("task", FAULT);
    long second = component_watch("part", first, 2000 * MILLISECOND);
    until("task", COMPONENT_RUNS);
    second = until("part", COMPONENT_RUNS);
    ends("task", FAULT);
    hrsleep(20 * MILLISECOND);
    long pause = condition(component_watch("part", -1, 0));
    until("task", COMPONENT_RUNS);
    long third = until("part", COMPONENT_RUNS);
    ends("task", FAULT);
    until("task", COMPONENT_STAYS_ENDED);
    hrsleep(20 * MILLISECOND);
    long last = component_watch("part", -1, 0);
    if (starts(second) == starts(first) + 1 && starts(third) == starts(first) + 2 && pause == COMPONENT_STARTS_AGAIN && condition(last) == COMPONENT_ENDED)
        printf("a part is started again with its task, after the pause too, and given up with it\n");
    else
        printf("a part: %ld %ld %ld, in the pause %ld, in the end %ld\n", starts(first), starts(second), starts(third), pause, condition(last));
}
static void watches(void *unused) { component_watch("aside", component_watch("aside", -1, 0), 100 * MILLISECOND); }
static void too_many(void)
{
    int threads[4];
    for (int n = 0; n < 4; n++)
        threads[n] = thread_create(watches, 0, -1);
    hrsleep(10 * MILLISECOND);
    printf("four threads wait, the fifth may not: %ld\n", component_watch("aside", component_watch("aside", -1, 0), 0));
    for (int n = 0; n < 4; n++)
        thread_join(threads[n]);
}

int main(void)
{
    int check = portal_open("inspect.check");
    set_priority(20); /* the manifest has 62, for what is to happen before init comes on */
    faults();
    stays_ended();
    by_hand();
    always();
    patient();
    loop_of_failures();
    at_once();
    spawned("display"), spawned("filter"), spawned("patient");
    together();
    by_hand_while_it_waits();
    parts();
    too_many();
    printf("what can not be watched: %ld %ld", component_watch("nobody", -1, 0), component_watch("scheduler", -1, 0));
    printf(" %ld %ld", component_watch("", -1, 0), component_watch("a name of more bytes than a component may have at all", -1, 0));
    printf(", and nothing happens: %ld", component_watch("aside", component_watch("aside", -1, 0), MILLISECOND));
    printf(", at once: %ld\n", component_watch("aside", component_watch("aside", -1, 0), 0));
    return !all_holds(check, "in the end");
}
