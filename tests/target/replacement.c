// system replacing
// timeout 90
// icount
// expect stdout by itself: another domain, by the same portals
// expect stdout a call that has begun is answered by who was called: 1, and who calls meanwhile by the other: 1
// expect stdout by one that is slow to get ready: 42
// expect stdout by a fault domain: 42, by one in supervisor mode: 42, and back again: 42
// expect stdout an interface that lacks a portal in use: -116 sums.who
// expect stdout another specification: -22 sums.add
// expect stdout one that ends before it is ready: -140
// expect stdout one without the rights: -116 sums.digest
// expect stdout one that is not there: -2
// expect stdout what does not run: -3
// expect stdout a first component: -3, the main one: -134
// expect stdout what has granted portals: -16 (granted)
// expect stdout no name, and three: -22 -22
// expect stdout two at once: one 0 and one -16
// expect stdout nothing has changed: 42
// expect stdout after a fault it is started again: 42
// expect stderr was stopped: load page fault at address 0x8
#include <pebble.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* Each way in which a component is replaced, and each in which it is refused. What is refused leaves the component as it was: the same domain. */
static int add, who, later, first_result, second_result;
static char in_the_way[NAMELEN];

static word sum(void) { return invoke_portal(add, 40l, 2l); }
static const char *refused(const char *name, const char *by)
{
    static char said[100];
    word before = invoke_portal(who);
    int result = component_replace(name, by, in_the_way);
    snprintf(said, sizeof said, result < 0 && in_the_way[0] ? "%d %s" : "%d", result, in_the_way);
    if (invoke_portal(who) != before || sum() != 42)
        return "and it is another one";
    return said;
}
static void call_later(void *asid) { first_result = invoke_portal(later, 300 * MILLISECOND) == (word)asid; }
static void replace_slowly(void *by) { second_result = component_replace("sums", by, 0); }
static word by(const char *name, const char *other)
{
    int result = component_replace(name, other, in_the_way);
    return result < 0 ? result : sum();
}
static void replaced(void)
{
    word first = invoke_portal(who);
    int second = component_replace("sums", 0, 0);
    printf("by itself: %s\n", second > 0 && second != first && invoke_portal(who) == second && sum() == 42 ? "another domain, by the same portals" : "no");
    int thread = thread_create(call_later, (void *)(word)second, -1);
    hrsleep(20 * MILLISECOND);
    int third = component_replace("sums", 0, 0);
    int other = invoke_portal(who) == third;
    thread_join(thread);
    printf("a call that has begun is answered by who was called: %d, and who calls meanwhile by the other: %d\n", first_result, other);
    printf("by one that is slow to get ready: %ld\n", by("sums", "sums-slow"));
    printf("by a fault domain: %ld, ", by("sums-slow", "sums-sfi"));
    printf("by one in supervisor mode: %ld, ", by("sums-sfi", "sums-supervisor"));
    printf("and back again: %ld\n", by("sums-supervisor", "sums"));
}
static void refusals(void)
{
    printf("an interface that lacks a portal in use: %s\n", refused("sums", "sums-lacking"));
    printf("another specification: %s\n", refused("sums", "sums-other"));
    printf("one that ends before it is ready: %s\n", refused("sums", "sums-failing"));
    printf("one without the rights: %s\n", refused("sums", "sums-without-rights"));
    printf("one that is not there: %s\n", refused("sums", "summs"));
    printf("what does not run: %s\n", refused("sums-sfi", "sums"));
    printf("a first component: %s, ", refused("scheduler", 0));
    printf("the main one: %s\n", refused("replacement", 0));
    FILE *file = tmpfile();
    printf("what has granted portals: %s\n", refused("files", 0));
    fclose(file);
    printf("no name, and three: %s", refused("", 0));
    printf(" %s\n", refused("sums", "sums sums"));
}
static void two_at_once(void)
{
    int thread = thread_create(replace_slowly, "sums-slow", -1);
    hrsleep(10 * MILLISECOND);
    int other = component_replace("sums", 0, 0);
    thread_join(thread);
    printf("two at once: one %d and one %d\n", second_result > 0 ? 0 : second_result, other);
}

int main(void)
{
    int check = portal_open("inspect.check");
    add = opened("sums.add"), who = opened("sums.who"), later = opened("sums.later");
    int others[] = {opened("sums.digest"), opened("sums.fill"), opened("sums.fault")};
    replaced();
    refusals();
    two_at_once();
    printf("nothing has changed: %ld\n", sum());
    if (component_replace("sums-slow", "sums", 0) < 0 || invoke_portal(others[2]) != -EDEAD)
        return 1;
    add = opened("sums.add");
    printf("after a fault it is started again: %ld\n", sum());
    return !all_holds(check, "in the end");
}
