// system pairs
// timeout 120
// expect stdout domain calls domain: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout domain calls dp: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout domain calls supervisor: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout domain calls sfi: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout dp calls domain: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout dp calls dp: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout dp calls supervisor: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout dp calls sfi: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout supervisor calls domain: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout supervisor calls dp: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout supervisor calls supervisor: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout supervisor calls sfi: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout sfi calls domain: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout sfi calls dp: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout sfi calls supervisor: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout sfi calls sfi: 42 and 42; its fault -202, its end -202, and the caller goes on; the caller's end -202, and the callee goes on
// expect stdout and nothing is left
/* A component of each isolation calls one of each, with words and with a window, and in the middle of a call the callee faults, is ended by another,
   or the caller is. Whoever calls the dead gets EDEAD; whoever lives is called again, by as many as before; started again, each is called as before. */
#include <pebble.h>

static const char *const isolations[] = {"domain", "dp", "supervisor", "sfi"};
static _Alignas(64) char name[NAMELEN];
static int spawn;

static void check(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted) > 0);
}
static void named(const char *side, const char *isolation, const char *what)
{
    memset(name, 0, sizeof name);
    snprintf(name, sizeof name, "pair.%s-%s.%s", side, isolation, what);
}
/* A portal of one of them, which is started if it does not run. */
static int opened(const char *side, const char *isolation, const char *what)
{
    named(side, isolation, what);
    int portal = portal_open(name);
    if (portal == -ENOENT) {
        static _Alignas(64) char command[NAMELEN];
        snprintf(command, sizeof command, "%s-%s", side, isolation);
        int started = invoke_portal(spawn, command, (word)strlen(command));
        if (started < 0)
            exit(printf("FAILED: %s: %s\n", command, pebble_strerror(started)) > 0);
        while ((portal = portal_open(name)) == -ENOENT)
            hrsleep(50000);
    }
    if (portal < 0)
        exit(printf("FAILED: %s: %s\n", name, pebble_strerror(portal)) > 0);
    return portal;
}
static word invoked(const char *side, const char *isolation, const char *what, word a, word b, word c)
{
    int portal = opened(side, isolation, what);
    word result = invoke_portal(portal, a, b, c);
    portal_close(portal);
    return result;
}
/* What the caller `a` calls a portal of the callee `b`. */
static word through(const char *a, const char *b, const char *what)
{
    portal_close(opened("callee", b, what));
    int opens = opened("caller", a, "opens");
    named("callee", b, what);
    word portal = invoke_portal(opens, name);
    portal_close(opens);
    if (portal < 0)
        exit(printf("FAILED: %s opens %s: %ld\n", a, name, portal) > 0);
    return portal;
}
static void kills(void *whom)
{
    hrsleep(2000000);
    check("killing it", invoke_portal(portal_open("domain.destroy"), (word)whom), 0);
}
/* The callee answers as many calls as it has stacks, and one more. */
static void goes_on(const char *b)
{
    for (int n = 0; n < 4; n++)
        check("the callee", invoked("callee", b, "add", n, 1, 0), n + 1);
}
static void pair(const char *a, const char *b, int told)
{
    word add = through(a, b, "add"), looks = through(a, b, "looks"), fails = through(a, b, "fails");
    word sum = invoked("caller", a, "calls", add, 40, 2), shown = invoked("caller", a, "lends", looks, 0, 0);
    word fault = invoked("caller", a, "calls", fails, 0, 0);
    check("the caller", invoked("caller", a, "add", 1, 2, 0), 3);
    check("the dead", invoked("caller", a, "calls", add, 1, 2), -EDEAD);
    word all[] = {add, looks, fails};
    for (int n = 0; n < 3; n++)
        check("closing", invoked("caller", a, "closes", all[n], 0, 0), 0);
    word waits = through(a, b, "waits");
    int thread = thread_create(kills, (void *)invoked("callee", b, "number", 0, 0, 0), -1);
    word killed = invoked("caller", a, "calls", waits, 0, 0);
    thread_join(thread);
    check("the caller", invoked("caller", a, "add", 1, 2, 0), 3);
    check("closing", invoked("caller", a, "closes", waits, 0, 0), 0);
    waits = through(a, b, "waits");
    thread = thread_create(kills, (void *)invoked("caller", a, "number", 0, 0, 0), -1);
    word caller = invoked("caller", a, "calls", waits, 0, 0);
    thread_join(thread);
    goes_on(b);
    add = through(a, b, "add");
    check("both again", invoked("caller", a, "calls", add, 40, 2), 42);
    check("closing", invoked("caller", a, "closes", add, 0, 0), 0);
    if (told)
        printf("%s calls %s: %ld and %ld; its fault %ld, its end %ld, and the caller goes on; the caller's end %ld, and the callee goes on\n", a, b, sum,
               shown, fault, killed, caller);
}
static struct { uint64_t counts[15]; } __attribute__((aligned(128))) before, after;
int main(void)
{
    /* Domains, the dead that something still leads to, what is registered, threads. */
    static const int counted[] = {0, 1, 3, 11};
    int counts = portal_open("inspect.counts");
    spawn = portal_open("init.spawn");
    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 4; m++)
            pair(isolations[n], isolations[m], 1);
    /* All eight run by now. */
    check("counts", invoke_portal(counts, &before), 0);
    for (int n = 0; n < 4; n++)
        pair(isolations[n], isolations[3 - n], 0);
    check("counts", invoke_portal(counts, &after), 0);
    for (int n = 0; n < 4; n++)
        check("what is left", after.counts[counted[n]], before.counts[counted[n]]);
    puts("and nothing is left");
    return 0;
}
