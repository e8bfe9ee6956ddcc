// expect stdout reading what is not visible: refused
// expect stdout writing what is not visible: refused
// expect stdout writing what is visible to be read: refused
// expect stdout jumping into what is not visible: refused
// expect stdout an entry point that does not exist: refused
// expect stdout a procedure that does not exist: refused
// expect stdout a forged handle: refused
// expect stdout a withdrawn handle: refused
// expect stdout more rights than the task has: refused
// expect stdout memory that is not there: refused
// expect stdout a portal that was not passed: refused
// expect stdout showing on what one does not see: refused
// expect stdout a portal that was withdrawn: refused
// expect stdout stacks used up: the next call waits
// expect stdout a page made invisible in mid-call: refused
// expect stdout a domain destroyed with threads in it: all return
// expect stdout a copy of a domain of protection: refused
// expect stdout nothing is left
// timeout 30
/* Each rejection of domains of protection by its name. */
#include <pebble.h>

static _Alignas(4096) word seen[512], hidden[512], mine[512];
static const char *failed;

#define refuses(name, condition) says(name, "refused", condition)
static void says(const char *name, const char *what, int condition)
{
    printf("%s: %s\n", name, condition ? what : "NO");
    if (!condition)
        failed = name;
}
/* The module: what it does to others' memory is up to its caller. */
static word reads(volatile word *at) { return *at; }
static word writes(volatile word *at, word value) { *at = value; return *at; }
static word jumps(word (*to)(void)) { return to(); }
static word calls(word portal, word argument) { return invoke_portal(portal, argument); }
static word uses(volatile word *at, word sem, word done)
{
    word first = *at;
    invoke_portal(done + 1);
    invoke_portal(sem, -1l);
    return first + *at;
}
static word copies(word number) { return invoke_portal(number, 0l, 0l, 0l); }
static word create_in_it(word operate, word handle, word what, word at) { return invoke_portal(operate, handle, what, at, 4096l, 2l); }
static word makes(word create, const char *name) { return invoke_portal(create, name); }
DP_MODULE(module, reads, writes, jumps, calls, uses, copies, create_in_it, makes)
enum { READS, WRITES, JUMPS, CALLS, USES, COPIES, OPERATES, MAKES };

static int fresh(int stacks)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, stacks) ||
        dp_make_visible(dp, seen, sizeof seen, PAGE_READ))
        exit(printf("no domain of protection: %s\n", pebble_strerror(dp)));
    return dp;
}
/* Whether the call ends its domain, and that one alone. */
static int dies(word procedure, word a, word b)
{
    int dp = fresh(1);
    word result = dp_call(dp, module, procedure, 0, a, b), after = dp_call(dp, module, READS, 0, seen);
    return result == -EDEAD && after == -EDEAD && dp_destroy(dp) == 0;
}
static word not_in_it(void) { return 7; }

static int shared, inside, go, results[3];
static void caller(void *n)
{
    results[(word)n] = dp_call(shared, module, USES, 0, mine, go, inside);
}
static struct counts { uint64_t counts[15]; } __attribute__((aligned(128))) counted;
static uint64_t domains_left(int portal)
{
    invoke_portal(portal, &counted);
    return counted.counts[0] << 40 ^ counted.counts[1] << 30 ^ counted.counts[2] << 20 ^ counted.counts[8];
}
int main(void)
{
    int count = portal_open("inspect.counts");
    uint64_t before = domains_left(count);
    hidden[0] = 3;
    refuses("reading what is not visible", dies(READS, (word)hidden, 0));
    refuses("writing what is not visible", dies(WRITES, (word)hidden, 1) && hidden[0] == 3);
    refuses("writing what is visible to be read", dies(WRITES, (word)seen, 1) && seen[0] == 0);
    int dp = fresh(1);
    refuses("jumping into what is not visible", dies(JUMPS, (word)hidden, 0) && dies(JUMPS, (word)seen, 0) &&
            dp_call(dp, module, JUMPS, 0, not_in_it) == 7);
    refuses("an entry point that does not exist", dp_connect(dp, (dp_entry *)not_in_it) == -ENOENT && dp_call(dp, (dp_entry *)not_in_it, 0, 0) == -ENOENT);
    refuses("a procedure that does not exist", dp_call(dp, module, module_procedures, 0) == -ENOENT &&
            dp_call(dp, module, -1, 0) == -ENOENT && dp_call(dp, module, 1l << 62, 0) == -ENOENT &&
            dp_register(dp, caller, 0, 0) == -EINVAL && dp_register(dp, module, 1, 0) == -EEXIST);
    int sem = sem_create(0), all = 1;
    for (int n = -3; n < 600; n++)
        all &= n == dp || dp_make_visible(n, seen, sizeof seen, PAGE_READ) == -EBADF;
    refuses("a forged handle", all && dp_register(sem, module, 1, 0) == -EBADF);
    int gone = fresh(1), number = dp_number(gone);
    refuses("a withdrawn handle", portal_close(gone) == 0 && dp_make_visible(gone, seen, sizeof seen, PAGE_READ) == -EBADF);
    refuses("more rights than the task has", dp_make_visible(dp, (void *)((word)main & -4096), 4096, PAGE_READ | PAGE_WRITE) == -EACCESS &&
            dp_make_visible(dp, seen, sizeof seen, PAGE_READ | PAGE_EXECUTE) == -EACCESS && dp_make_visible(dp, seen, 4096, 32) == -EINVAL);
    refuses("memory that is not there", dp_make_visible(dp, (void *)0x18000000, 4096, PAGE_READ) == -EFAULT &&
            dp_make_visible(dp, (void *)0, 4096, PAGE_READ) == -EINVAL && dp_make_visible(dp, (char *)seen + 1, 4096, PAGE_READ) == -EINVAL &&
            dp_make_visible(dp, (void *)0x3ffff000, 4096, PAGE_READ) == -EINVAL);

    int other = fresh(1), operate = portal_open("protection.operate");
    refuses("a portal that was not passed", dp_call(dp, module, OPERATES, 0, operate, other, 3, hidden) == -EPORTAL);
    int create = portal_open("protection.create"), passed = dp_pass_port_right(dp, operate) | dp_pass_port_right(dp, other) | dp_pass_port_right(dp, create);
    strcpy((char *)(seen + 256), "inner");
    word inner = dp_call(dp, module, MAKES, 0, create, seen + 256);
    refuses("showing on what one does not see", passed == 0 && inner > 0 && dp_call(dp, module, OPERATES, 0, operate, inner, 3, hidden) == -EFAULT && dp_call(dp, module, OPERATES, 0, operate, inner, 3, seen) == 0);
    dp_withdraw_port_right(dp, other);
    refuses("a portal that was withdrawn", dp_call(dp, module, OPERATES, 0, operate, other, 3, hidden) == -EBADF &&
            dp_withdraw_port_right(dp, other) == -EPORTAL);

    shared = fresh(2), inside = sem_create(0), go = sem_create(0);
    for (int n = 0; n < 2; n++)
        dp_pass_port_right(shared, inside + n), dp_pass_port_right(shared, go + n);
    dp_make_visible(shared, mine, sizeof mine, PAGE_READ);
    int threads[3];
    for (word n = 0; n < 2; n++)
        threads[n] = thread_create(caller, (void *)n, -1), sem_wait(inside);
    threads[2] = thread_create(caller, (void *)2, -1);
    says("stacks used up", "the next call waits", sem_timedwait(inside, 200000) == -ETIMEDOUT);
    int invisible = dp_make_invisible(shared, mine, sizeof mine);
    sem_post(go);
    for (int n = 0; n < 3; n++)
        thread_join(threads[n]);
    refuses("a page made invisible in mid-call", invisible == 0 && results[0] == -EDEAD && results[1] == -EDEAD && results[2] == -EDEAD);
    dp_destroy(shared);

    shared = fresh(3);
    for (int n = 0; n < 2; n++)
        dp_pass_port_right(shared, inside + n), dp_pass_port_right(shared, go + n);
    dp_make_visible(shared, mine, sizeof mine, PAGE_READ);
    for (word n = 0; n < 3; n++)
        threads[n] = thread_create(caller, (void *)n, -1), sem_wait(inside);
    int destroyed = dp_destroy(shared);
    for (int n = 0; n < 3; n++)
        thread_join(threads[n]);
    says("a domain destroyed with threads in it", "all return",
         destroyed == 0 && results[0] == -EDEAD && results[1] == -EDEAD && results[2] == -EDEAD);
    enum { SYS_FORK = 18 };
    refuses("a copy of a domain of protection", dp_call(dp, module, COPIES, 0, SYS_FORK) == -ENOTSUP);

    dp_destroy(dp), dp_destroy(other);
    domain_kill(number), domain_wait(number, NULL);
    sem_destroy(inside), sem_destroy(go), sem_destroy(sem);
    printf("%s\n", failed ? failed : "done");
    uint64_t after = domains_left(count);
    printf(after != before ? "something is left: %lx, not %lx\n" : "nothing is left\n", after, before);
    return failed != 0;
}
