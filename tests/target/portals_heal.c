// system healing
// timeout 90
// expect stdout plain: who is inside gets EDEAD, and the next call is right
// expect stdout software: who is inside gets EDEAD, and the next call is right
// expect stdout super: who is inside gets EDEAD, and the next call is right
// expect stdout behind: it is started again with another, and its next call is right
// expect stdout plain: one that has been succeeded by another heals
// expect stdout other: EDEAD, and EDEAD
// expect stdout slow: the next call waits for the pause
// expect stdout slow: it stays ended, and who waits is told at once
// expect stdout late: nobody waits for longer than two seconds, and it heals then
#include <pebble.h>
#include <sys/wait.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* What a client sees of a server that ends while it has its portals open. */
enum { LONG = 8 };
static int check;
static char bytes[8192] __attribute__((aligned(4096)));

static int fail(const char *name, const char *what, long got)
{
    printf("%s: %s: %ld\n", name, what, got);
    return 1;
}
/* Calls with words and with windows, all answered. */
static int right(int add, int digest, int fill)
{
    word all = 1;
    memset(bytes, 7, sizeof bytes);
    for (int n = 0; n < 5000; n++)
        all = all * 31 + 9;
    return invoke_portal(add, 40l, 2l) == 42 && invoke_portal(fill, bytes + 100, 5000l, 9l) == 5000 && bytes[99] == 7 && bytes[5100] == 7
           && invoke_portal(digest, bytes + 100, 5000l) == all;
}
static int heals(const char *name)
{
    int add = called(name, "add"), digest = called(name, "digest"), fill = called(name, "fill"), fault = called(name, "fault"), who = called(name, "who");
    for (int n = 0; n < LONG; n++) {
        int before = invoke_portal(who);
        if (!right(add, digest, fill))
            return fail(name, "before", n);
        word inside = n % 2 ? invoke_portal(fault) : invoke_portal(portal_open("domain.destroy"), (long)before);
        if (inside != (n % 2 ? -EDEAD : 0))
            return fail(name, "inside", inside);
        if (!right(add, digest, fill))
            return fail(name, "after", n);
        if (invoke_portal(who) == before || !all_holds(check, name))
            return fail(name, "the same", before);
        /* Not too often for a period. */
        hrsleep(2 * MILLISECOND);
    }
    printf("%s: who is inside gets EDEAD, and the next call is right\n", name);
    return 0;
}
static unsigned long since(unsigned long long from) { return (unsigned long)((hrtime() - from) / MILLISECOND); }

int main(void)
{
    unsigned long long from;
    check = portal_open("inspect.check");
    int behind[] = {called("behind", "add"), called("behind", "digest"), called("behind", "fill")};
    int first = invoke_portal(called("behind", "who"));
    if (heals("plain") || heals("software") || heals("super"))
        return 1;
    if (!right(behind[0], behind[1], behind[2]) || invoke_portal(called("behind", "who")) == first)
        return fail("behind", "the same", first);
    invoke_portal(called("plain", "fault"));
    if (!right(behind[0], behind[1], behind[2]))
        return fail("behind", "at once", 0);
    printf("behind: it is started again with another, and its next call is right\n");

    char in_the_way[NAMELEN];
    int kept = called("plain", "add");
    word replaced = component_replace("plain", 0, in_the_way);
    if (replaced < 0 || invoke_portal(kept, 40l, 2l) != 42)
        return fail("plain", in_the_way, replaced);
    invoke_portal(called("plain", "fault"));
    if (invoke_portal(kept, 40l, 2l) != 42)
        return fail("plain", "replaced, and ended then", invoke_portal(kept, 40l, 2l));
    printf("plain: one that has been succeeded by another heals\n");

    int add = called("other", "add");
    word inside = invoke_portal(called("other", "fault"));
    hrsleep(20 * MILLISECOND);
    word again = invoke_portal(add, 40l, 2l);
    if (inside != -EDEAD || again != -EDEAD)
        return fail("other", "healed", again);
    printf("other: EDEAD, and EDEAD\n");

    int fault = called("slow", "fault"), extra = called("slow", "who");
    add = called("slow", "add");
    invoke_portal(fault);
    if (invoke_portal(add, 40l, 2l) != 42)
        return fail("slow", "at once", 0);
    invoke_portal(fault);
    from = hrtime();
    /* A number that is closed, and another portal's by then, does not heal. */
    portal_close(extra);
    int another = called("other", "add");
    again = invoke_portal(add, 40l, 2l);
    if (another != extra || invoke_portal(another, 40l, 2l) != 42)
        return fail("slow", "a number of another portal", another);
    if (again != 42 || since(from) < 90 || since(from) > 1000)
        return fail("slow", "after its pause", again);
    printf("slow: the next call waits for the pause\n");
    invoke_portal(fault);
    if (invoke_portal(add, 40l, 2l) != 42)
        return fail("slow", "a third time", 0);
    invoke_portal(fault);
    from = hrtime();
    again = invoke_portal(add, 40l, 2l);
    if (again != -EDEAD || since(from) > 500)
        return fail("slow", "it stays ended", again);
    printf("slow: it stays ended, and who waits is told at once\n");

    fault = called("late", "fault"), add = called("late", "add");
    invoke_portal(fault);
    if (invoke_portal(add, 40l, 2l) != 42)
        return fail("late", "at once", 0);
    invoke_portal(fault);
    from = hrtime();
    again = invoke_portal(add, 40l, 2l);
    if (again != -EDEAD || since(from) < 1900 || since(from) > 2500)
        return fail("late", "within its bound", (long)since(from));
    for (int tries = 0; (again = invoke_portal(add, 40l, 2l)) == -EDEAD && tries < 2000; tries++)
        hrsleep(10 * MILLISECOND);
    if (again != 42 || !all_holds(check, "late"))
        return fail("late", "later", again);
    printf("late: nobody waits for longer than two seconds, and it heals then\n");
    return 0;
}
