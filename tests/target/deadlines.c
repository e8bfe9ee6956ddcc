// system watched
// icount
// timeout 90
// expect stdout plain: who does not answer is ended, and the next call is right
// expect stdout software: who does not answer is ended, and the next call is right
// expect stdout super: who does not answer is ended, and the next call is right
// expect stdout plain: two that wait for each other are ended
// expect stdout right: a call that comes back to where no stack is left ends
// expect stdout patient: who says that it is not well is started again
// expect stdout patient: who can not say that it is well is started again
// expect stdout patient: who has no stack left is asked, too
#include <pebble.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* Servers that loop, wait for ever, or for each other, are ended when their deadlines have passed, and not before. */
/* Stacks of a server. */
enum { OFTEN = 3, STACKS = 4 };
static int check, log_lines;

static int fail(const char *name, const char *what, long got)
{
    printf("%s: %s: %ld\n", name, what, got);
    return 1;
}
static long since(unsigned long long from) { return (long)((hrtime() - from) / MILLISECOND); }
/* How many lines of the log say that. */
static int logged(const char *text)
{
    int count = 0;
    static char page[4096] __attribute__((aligned(4096)));
    static char all[1 << 17];
    long have = 0, more;
    while (have + 4096 < (long)sizeof all && (more = invoke_portal(log_lines, have, page)) > 0) {
        memcpy(all + have, page, more);
        have += more;
    }
    all[have] = 0;
    for (const char *at = all; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}
/* A call of that portal ends between its deadline and some more, and its server is another then. */
static int is_late(const char *name, const char *what, long deadline)
{
    int add = called(name, "add"), who = called(name, "who"), portal = called(name, what);
    char text[64];
    snprintf(text, sizeof text, "%s does not answer: %s.%s of ", name, name, what);
    int lines = logged(text);
    long before = invoke_portal(who);
    unsigned long long from = hrtime();
    long got = invoke_portal(portal, 0l), passed = since(from);
    if (got != -EDEAD)
        return fail(name, what, got);
    if (passed < deadline || passed > 2 * deadline + 20)
        return fail(name, "milliseconds", passed);
    if (invoke_portal(add, 40l, 2l) != 42 || invoke_portal(who) == before || !all_holds(check, name))
        return fail(name, "after", before);
    if (logged(text) != lines + 1)
        return fail(text, "is not in the log", 0);
    hrsleep(2 * MILLISECOND);
    return 0;
}
static int results[2];
static int crossing;
static void cross(void *first) { results[(long)first] = invoke_portal(crossing, (long)first); }
static int circle(const char *name)
{
    static const char *const in_circle = "ms, in a circle of waits", *const members = "these wait for each other: thread";
    int circles = logged(in_circle), named = logged(members);
    crossing = called(name, "cross");
    int threads[2];
    for (long n = 0; n < 2; n++)
        threads[n] = thread_create(cross, (void *)n, 20);
    for (int n = 0; n < 2; n++)
        thread_join(threads[n]);
    if (results[0] != -EDEAD || results[1] != -EDEAD)
        return fail(name, "circle", results[0]);
    return logged(in_circle) == circles || logged(members) == named ? fail(name, "the circle is not in the log", 0) : 0;
}
static int is_again(const char *name, int who, long before)
{
    unsigned long long from = hrtime();
    while (invoke_portal(who) == before)
        if (since(from) > 1000)
            return fail(name, "goes on", before);
        else
            hrsleep(MILLISECOND);
    return 0;
}
/* Is started again within a second. */
static int falls_sick(const char *name, long how)
{
    int who = called(name, "who"), sick = called(name, "sick");
    long before = invoke_portal(who);
    if (invoke_portal(sick, how) != 0)
        return fail(name, "sick", how);
    return is_again(name, who, before);
}
static int hanging;
static void hang(void *ignored)
{
    (void)ignored;
    invoke_portal(hanging);
}
/* Calls for which there is no deadline have all stacks that it has: who asks whether it is well is let in, and hears that it is not. */
static int is_full(const char *name)
{
    int who = called(name, "who");
    long before = invoke_portal(who);
    hanging = called(name, "hang");
    for (int n = 0; n < STACKS; n++)
        thread_create(hang, NULL, 20);
    return is_again(name, who, before);
}

int main(void)
{
    static const char *const ways[] = {"plain", "software", "super"};
    check = portal_open("inspect.check");
    log_lines = portal_open("init.lines");
    for (int way = 0; way < 3; way++) {
        /* Above all that a component may be: who looks after it is above that. */
        for (int n = 0; n < OFTEN; n++)
            if (set_priority(n == 1 ? 62 : 20) || is_late(ways[way], "spin", 50) || is_late(ways[way], "hang", 50))
                return 1;
        printf("%s: who does not answer is ended, and the next call is right\n", ways[way]);
    }
    if (set_priority(20) || circle("plain"))
        return 1;
    printf("plain: two that wait for each other are ended\n");
    long got = invoke_portal(called("left", "around"), 1l);
    if (got != -EDEAD || logged("right does not answer: right.around of left has been in it for 2") != 1 || logged("in a circle of waits") != 2)
        return fail("right", "around", got);
    printf("right: a call that comes back to where no stack is left ends\n");
    if (invoke_portal(called("left", "around"), 0l) != 0)
        return fail("left", "around", 0);
    if (falls_sick("patient", 1) || !logged("patient says by patient.health that it is not well: input or output failed"))
        return 1;
    printf("patient: who says that it is not well is started again\n");
    if (falls_sick("patient", 2) || !logged("patient does not answer: patient.health of init has been in it"))
        return 1;
    printf("patient: who can not say that it is well is started again\n");
    if (is_full("patient") || logged("patient says by patient.health that it is not well") != 2)
        return fail("patient", "is full", 0);
    printf("patient: who has no stack left is asked, too\n");
    return all_holds(check, "in the end") ? 0 : 1;
}
