// timeout 60
// expect stdout the copy sees what was shown, in its own task: 7, 8
// expect stdout its handle names another domain
// expect stdout what the copy writes is not the task's: 7
// expect stdout what it had taken is copied: 41, and not the task's: 40
// expect stdout a page that is visible to be read, written by the copy: refused
// expect stdout what was not shown, by the copy: refused
// expect stdout the task's goes on: 7
// expect stdout one that is in a call is copied as if it were in none
// expect stdout a copy of a copy: 9
// expect stdout two that have names for each other call each other in the copy: 7
// expect stdout the handle of a dead one in the copy: refused
// expect stdout a handle in a sandbox: refused
// expect stdout a shared portal table with domains of protection: refused
// expect stdout the number of the task's from the copy: refused
// expect stdout nothing is left
/* A copy of a task has copies of its domains of protection, and each of both is nothing to the other's. */
#include <pebble.h>

enum { SYS_GROW = 21 };
static _Alignas(4096) word seen[512], written[512], hidden[512];
static const char *failed;
static int go, inside;

static word reads(volatile word *at) { return *at; }
static word writes(volatile word *at, word value) { return *at = value; }
/* Takes a page once, and keeps where it is in what it was shown. */
static word keeps(word *place)
{
    word **own = (word **)place;
    if (!*own)
        *own = (word *)invoke_portal(SYS_GROW, 1l), **own = 40;
    else
        **own += 1;
    return **own;
}
static word stays(word entered, word until)
{
    invoke_portal(entered + 1);
    return invoke_portal(until, -1l);
}
static word calls(word portal, word procedure, const word *at) { return invoke_portal(portal, procedure, 0l, at); }
DP_MODULE(module, reads, writes, keeps, stays, calls)
enum { READS, WRITES, KEEPS, STAYS, CALLS };

static void says(const char *what, int condition)
{
    printf("%s: %s\n", what, condition ? "refused" : "NO");
    failed = condition ? failed : what;
}
static int fresh(void)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) || dp_make_visible(dp, seen, sizeof seen, PAGE_READ) ||
        dp_make_visible(dp, written, sizeof written, PAGE_READ | PAGE_WRITE))
        exit(printf("no domain of protection: %s\n", pebble_strerror(dp)));
    return dp;
}
/* Runs `body` in a copy of the task; its status. */
#define IN_A_COPY(body)                                   \
    ({                                                    \
        int status_ = -1, copy_ = domain_fork(NULL);      \
        if (copy_ == 0) {                                 \
            body;                                         \
            exit(failed != NULL);                         \
        }                                                 \
        if (copy_ < 0 || domain_wait(copy_, &status_))    \
            printf("%s\n", pebble_strerror(copy_));       \
        failed = status_ ? "a copy" : failed;             \
        status_;                                          \
    })
static void in_a_call(void *dp) { dp_call((int)(word)dp, module, STAYS, 0, inside, go); }
static word intercept(word portal, word a, word b, word c, word d, word e) { return invoke_portal(portal, (word)a, (word)b, (word)c, (word)d, (word)e); }

static void copy_sees(int dp, int number)
{
    word first = dp_call(dp, module, READS, 0, seen);
    seen[0] = 8;
    printf("the copy sees what was shown, in its own task: %ld, %ld\n", first, dp_call(dp, module, READS, 0, seen));
    if (dp_number(dp) > 0 && dp_number(dp) != number)
        printf("its handle names another domain\n");
    dp_call(dp, module, WRITES, 0, written, 12);
}
enum { YIELDS = 100 };
static void counts(uint64_t out[15])
{
    static struct { uint64_t counts[15]; } counted __attribute__((aligned(128)));
    static int portal;
    portal = portal ? portal : portal_open("inspect.counts");
    /* A domain's end is told before its last thread has gone, which goes on at this priority. */
    for (int n = 0; n < YIELDS; n++)
        yield();
    invoke_portal(portal, &counted);
    memcpy(out, counted.counts, sizeof counted.counts);
}
static void many(int rounds, int dp)
{
    for (int n = 0; n < rounds; n++)
        IN_A_COPY(dp_call(dp, module, n % 2 ? READS : WRITES, 0, n % 4 ? written : hidden, 5); if (n % 3 == 0) dp_destroy(dp));
}
static void two_that_call_each_other(int dp)
{
    int other = fresh(), portal = dp_connect(dp, module);
    dp_pass_port_right(other, portal);
    dp_pass_port_right(other, dp);
    IN_A_COPY(printf("two that have names for each other call each other in the copy: %ld\n",
                     dp_call(other, module, CALLS, 0, portal, READS, seen)));
    dp_destroy(other);
}
int main(void)
{
    int dp = fresh(), number = dp_number(dp);
    seen[0] = written[0] = 7;
    IN_A_COPY(copy_sees(dp, number));
    printf("what the copy writes is not the task's: %ld\n", written[0]);
    written[0] = 0;
    word kept = dp_call(dp, module, KEEPS, 0, written);
    IN_A_COPY(printf("what it had taken is copied: %ld, and not the task's: %ld\n", dp_call(dp, module, KEEPS, 0, written), kept));
    IN_A_COPY(says("a page that is visible to be read, written by the copy", dp_call(dp, module, WRITES, 0, seen, 1) == -EDEAD));
    IN_A_COPY(says("what was not shown, by the copy", dp_call(dp, module, READS, 0, hidden) == -EDEAD));
    printf("the task's goes on: %ld\n", dp_call(dp, module, READS, 0, seen));

    go = sem_create(0), inside = sem_create(0);
    for (int n = 0; n < 2; n++)
        dp_pass_port_right(dp, go + n), dp_pass_port_right(dp, inside + n);
    int thread = thread_create(in_a_call, (void *)(word)dp, -1);
    sem_wait(inside);
    if (IN_A_COPY(if (dp_call(dp, module, READS, 0, seen) != 7) exit(1)) == 0)
        printf("one that is in a call is copied as if it were in none\n");
    sem_post(go), thread_join(thread);
    IN_A_COPY(IN_A_COPY(seen[0] = 9; printf("a copy of a copy: %ld\n", dp_call(dp, module, READS, 0, seen))));
    two_that_call_each_other(dp);

    int dead = fresh();
    dp_call(dead, module, READS, 0, hidden);
    IN_A_COPY(says("the handle of a dead one in the copy", dp_number(dead) == -EBADF));
    dp_destroy(dead);
    int boxed = domain_fork(intercept), status = -1;
    if (boxed == 0)
        exit(dp_number(dp) >= 0);
    says("a handle in a sandbox", boxed > 0 && domain_wait(boxed, &status) == 0 && status == 0);
    says("a shared portal table with domains of protection", domain_fork(SHARE_PORTALS) == -ENOTSUP);
    IN_A_COPY(says("the number of the task's from the copy", domain_kill(number) < 0));

    /* Numbers are used again as late as possible: what is kept by number is there after all have been. */
    uint64_t before[15], after[15];
    many(300, dp);
    counts(before);
    many(300, dp);
    counts(after);
    for (int n = 0; n < 15; n++)
        if (before[n] != after[n])
            failed = "something is left", printf("%d: %lu, then %lu\n", n, before[n], after[n]);
    printf("%s\n", failed ? failed : "nothing is left");
    return dp_destroy(dp) || failed;
}
