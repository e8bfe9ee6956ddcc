// timeout 60
// system oracle-masked
// expect stdout 1600 calls of a masked server right
// expect stdout and interrupts came after each
/* Calls of a masked server: its portals are in the image, and few, so each is called many times with other arguments. That its windows
   are closed afterwards can not be seen: a fault of a masked server stops the system. */
#include "include/oracle.h"

#define CALLS 400

static const char *const specs[] = {"smtcwi", "npi=ari", "sfWihw", "nmRiti"};
#define PORTALS (int)(sizeof specs / sizeof *specs)

/* What the server has written down. */
static struct {
    word x[32];
    unsigned char bytes[LETTERS][2];
} seen __attribute__((aligned(512)));

static void check_windows(void)
{
    for (int n = 0; n < board->letters; n++) {
        struct part *p = &board->parts[n];
        if (!is_window(board->spec[2 + n]) || p->bytes == 0)
            continue;
        if ((seen.x[A0 + n] & (PAGE - 1)) != p->offset)
            fails("argument %d: offset in the page %ld, not %ld", n, seen.x[A0 + n] & (PAGE - 1), p->offset);
        if (seen.bytes[n][0] != mark(p->seed, 0, 0, CALLERS) || seen.bytes[n][1] != mark(p->seed, 0, 1, CALLERS))
            fails("argument %d: the window shows something else", n);
    }
}
static void call_masked(int n, int portal, int look)
{
    static word stack;
    prepare_call(specs[n]);
    for (int k = 0; k < board->letters; k++)
        if (specs[n][2 + k] == 'c')
            board->parts[k].expected = 0x123456789abcdef0;
    board->result = 0xa00000 + 2 * n + (specs[n][1] == 'm');
    call_with.x[A7] = portal;
    prepare_server();
    call_floating = 1;
    unsigned long long before = hrtime();
    watched_call();
    unsigned long long after = hrtime();
    check_callers_registers();
    for (int k = 0; k < 32; k++) /* it has no floating point */
        if (call_left.f[k] != call_with.f[k])
            fails("f%d is %lx after the call", k, call_left.f[k]);
    check_memory();
    invoke_portal(look, &seen);
    memcpy(board->entered.x, seen.x, sizeof seen.x);
    check_arguments(portal, before, after);
    check_windows();
    /* It has one stack. */
    if (seen.x[SP] & 15 || seen.x[SP] <= 0 || seen.x[SP] >= OWN_END || (stack && seen.x[SP] != stack))
        fails("the server's stack pointer is %lx", seen.x[SP]);
    stack = seen.x[SP];
    cases++;
}
/* A thread of the same priority, which gets a turn only when the timer interrupts this one. */
static volatile unsigned long turns;
static volatile int over;
static void take_turns(void *argument)
{
    while (!over)
        turns++;
}
static int is_interrupted(void)
{
    unsigned long before = turns;
    unsigned long long until = hrtime() + 5000000000;
    while (turns == before && hrtime() < until)
        ;
    return turns != before;
}
int main(void)
{
    if (starts())
        return 1;
    board->ends = (struct ends){"into a masked domain", .server_trusted = 1};
    int look = portal_open("app.masked.look"), called = 0, portals[PORTALS];
    for (int n = 0; n < PORTALS; n++) {
        char name[NAMELEN];
        snprintf(name, sizeof name, "app.masked.%d", n);
        int portal = portals[n] = portal_open(name);
        for (int k = 0; k < CALLS; k++, called++)
            call_masked(n, portal, look);
    }
    printf("%d calls of a masked server right\n", called);
    int thread = thread_create(take_turns, NULL, -1);
    for (int n = 0; n < PORTALS; n++) {
        call_masked(n, portals[n], look);
        if (!is_interrupted())
            fails("no interrupt comes after the call");
    }
    over = 1;
    thread_join(thread);
    printf("and interrupts came after each\n");
    return 0;
}
