// system parts
// timeout 60
// icount
// expect stdout two clients with a password each: 30 and 7
// expect stdout a forged password: refused
// expect stdout a password of which one bit is another: refused
// expect stdout the password of nobody: refused
// expect stdout a withdrawn password: refused, and the other client goes on
// expect stdout more clients than there may be: refused
// expect stdout a password in memory, and its address: refused
// expect stdout a frame outside the A-stacks: refused
// expect stdout a frame among another client's A-stacks: refused
// expect stdout a frame that ends outside them: refused
// expect stdout A-stacks used up: refused
// expect stdout a result of 200 bytes comes back
// expect stdout a frame that a client chose in the module's memory: refused
// expect stdout a module that sees its callers needs no A-stacks
// expect stdout a password takes as long right as wrong
/* Protected modules: their clients, passwords and A-stacks. */
#include <protected.h>

struct report {
    long client, calls, values[23];
};
#define COUNTER(procedure, module)                                                      \
    procedure(module, long, add, (long, amount), (const long *, more), (long, count))   \
    procedure(module, struct report, report)                                            \
    procedure(module, long, holds, (int, entered), (int, until))                        \
    procedure(module, long, eight, (char, a), (short, b), (int, c), (long, d), (unsigned char, e), (float, f), (double, g), (long, h))
DP_INTERFACE(counter, COUNTER)

/* What the module alone sees, beside the task. */
static _Alignas(4096) union {
    struct {
        struct dp_module module;
        long totals[DP_CLIENTS], calls;
    };
    char page[4096];
} state;
static _Alignas(4096) char stacks[2][4096], outside[4096];
static _Alignas(4096) long shown[512];

DP_IMPLEMENTATION(counter, COUNTER, &state.module)
static long add(int client, long amount, const long *more, long count)
{
    state.calls++;
    for (long n = 0; n < count; n++)
        amount += more[n];
    return state.totals[client] += amount;
}
static struct report report(int client)
{
    struct report all = {client, state.calls, {0}};
    for (int n = 0; n < 23; n++)
        all.values[n] = state.totals[n];
    return all;
}
static long holds(int client, int entered, int until)
{
    invoke_portal(entered + 1);
    return invoke_portal(until, -1l) + client;
}
static long eight(int client, char a, short b, int c, long d, unsigned char e, float f, double g, long h)
{
    return client + a + b + c + d + e + (long)f + (long)g + h;
}

static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted));
}
static struct dp_client one, two;
static int entered, until, done;
static void waits(void *unused)
{
    (void)unused;
    long result = -1;
    expect("a call that waits", counter_holds(&two, &result, entered, until), 0);
    sem_post(done);
}
static int made(int dp)
{
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, counter, counter_procedures, 4) ||
        dp_make_visible(dp, &state, sizeof state, PAGE_READ | PAGE_WRITE) || dp_make_visible(dp, shown, sizeof shown, PAGE_READ))
        exit(printf("FAILED: the module: %d\n", dp));
    return dp;
}
static word forged(int dp, struct dp_client client, int word_, int bit)
{
    long result = 0;
    client.password.words[word_] ^= 1ul << bit;
    client.dp = dp;
    return counter_add(&client, &result, 1, NULL, 0);
}
/* A call of the second client's whose frame lies there. */
static word frame_at(int dp, word frame)
{
    return dp_call(dp, counter, counter_add_number_, frame, two.password.words[0], two.password.words[1]);
}
/* Instructions that a look at this password takes, the fewest of some. */
static unsigned long takes(struct dp_client *client, unsigned long flip)
{
    unsigned long least = -1ul;
    client->password.words[1] ^= flip;
    for (int n = 0; n < 50; n++) {
        unsigned long start, end;
        const struct dp_password *password = &client->password;
        __asm__ volatile("rdinstret %0" : "=r"(start));
        int found = dp_client_(&state.module, password);
        __asm__ volatile("rdinstret %0" : "=r"(end) : "r"(found));
        least = end - start < least ? end - start : least;
    }
    client->password.words[1] ^= flip;
    return least;
}
int main(void)
{
    struct dp_password passwords[2];
    int dp = made(dp_create("counter")), clients[2];
    for (int n = 0; n < 2; n++)
        if ((clients[n] = dp_admit(&state.module, &passwords[n])) < 0)
            return printf("FAILED: %s\n", pebble_strerror(clients[n]));
    /* Each client has its own. */
    for (int n = 0; n < 2; n++)
        expect("A-stacks", dp_set_stacks(&state.module, dp, clients[n], stacks[n], sizeof stacks[n]), 0);
    expect("attaching", dp_attach(&one, dp, counter, &passwords[0], stacks[0], 4096, 2), 0);
    expect("attaching", dp_attach(&two, dp, counter, &passwords[1], stacks[1], 4096, 2), 0);
    long first = 0, second = 0;
    shown[0] = 10, shown[1] = 15;
    expect("add", counter_add(&one, &first, 5, shown, 2), 0);
    expect("add", counter_add(&two, &second, 7, NULL, 0), 0);
    printf("two clients with a password each: %ld and %ld\n", first, second);

    struct dp_client nobody = one;
    nobody.password = (struct dp_password){{1, 2}};
    expect("a forged one", counter_add(&nobody, &first, 1, NULL, 0), -EACCESS);
    puts("a forged password: refused");
    for (int bit = 0; bit < 64; bit++)
        expect("one bit", forged(dp, one, bit & 1, bit) + forged(dp, one, 1 - (bit & 1), bit), -2 * EACCESS);
    puts("a password of which one bit is another: refused");
    nobody.password = (struct dp_password){{0, 0}};
    expect("nobody's", counter_add(&nobody, &first, 1, NULL, 0), -EACCESS);
    puts("the password of nobody: refused");
    expect("withdrawing", dp_withdraw(&state.module, clients[0]), 0);
    expect("withdrawing again", dp_withdraw(&state.module, clients[0]), -ENOENT);
    expect("who was", dp_withdraw(&state.module, DP_CLIENTS), -ENOENT);
    expect("A-stacks of who was", dp_set_stacks(&state.module, dp, clients[0], stacks[0], 4096), -ENOENT);
    expect("a withdrawn one", counter_add(&one, &first, 1, NULL, 0), -EACCESS);
    expect("the other", counter_add(&two, &second, 1, NULL, 0), 0);
    expect("its total", second, 8);
    puts("a withdrawn password: refused, and the other client goes on");
    struct dp_password other;
    for (int n = 0; n < DP_CLIENTS - 1; n++)
        if (dp_admit(&state.module, &other) < 0)
            exit(printf("FAILED: client %d\n", n));
    expect("one more", dp_admit(&state.module, &other), -ENFILE);
    puts("more clients than there may be: refused");

    memcpy(stacks[1], &two.password, sizeof two.password);
    expect("its address", dp_call(dp, counter, counter_add_number_, (word)stacks[1]), -EACCESS);
    expect("and as a password", dp_call(dp, counter, counter_add_number_, (word)stacks[1], (word)stacks[1], (word)stacks[1] + 8), -EACCESS);
    puts("a password in memory, and its address: refused");
    struct dp_client astray = two;
    astray.stacks = outside, astray.free = 1;
    expect("a frame elsewhere", counter_add(&astray, &first, 1, NULL, 0), -EFAULT);
    expect("the module's own", frame_at(dp, (word)&state), -EFAULT);
    puts("a frame outside the A-stacks: refused");
    astray.stacks = stacks[0], astray.free = 1;
    expect("another's frame", counter_add(&astray, &first, 1, NULL, 0), -EFAULT);
    expect("who comes after", dp_admit(&state.module, &other), -ENFILE);
    expect("another goes", dp_withdraw(&state.module, clients[1] + 1), 0);
    expect("who comes after", dp_admit(&state.module, &other), clients[1] + 1);
    struct dp_client later = two;
    later.password = other;
    expect("without A-stacks yet", counter_add(&later, &first, 1, NULL, 0), -EFAULT);
    puts("a frame among another client's A-stacks: refused");
    expect("the end", frame_at(dp, (word)stacks[1] + 4096 - 16), -EFAULT);
    expect("before it", frame_at(dp, (word)stacks[1] - 16), -EFAULT);
    expect("all addresses", frame_at(dp, -16l), -EFAULT);
    puts("a frame that ends outside them: refused");

    entered = sem_create(0), until = sem_create(0), done = sem_create(0);
    for (int n = 0; n < 2; n++)
        if (dp_pass_port_right(dp, entered + n) || dp_pass_port_right(dp, until + n))
            exit(printf("FAILED: semaphores\n"));
    for (int n = 0; n < 2; n++) {
        thread_create(waits, NULL, -1);
        sem_wait(entered);
    }
    expect("a third", counter_add(&two, &first, 1, NULL, 0), -ENOSTACK);
    for (int n = 0; n < 2; n++)
        sem_post(until), sem_wait(done);
    expect("then", counter_add(&two, &first, 1, NULL, 0), 0);
    puts("A-stacks used up: refused");
    struct report all;
    expect("report", counter_report(&two, &all), 0);
    expect("its client", all.client, clients[1]);
    expect("its value", all.values[clients[1]], 9);
    expect("eight", counter_eight(&two, &first, 1, 2, 3, 4, 5, 6.5f, 7.25, 8), 0);
    expect("their sum", first, 36 + clients[1]);
    printf("a result of %zu bytes comes back\n", sizeof all);

    /* The task's own stacks, and a module that sees them. */
    expect("no A-stacks", dp_set_stacks(&state.module, dp, clients[1], NULL, 0), 0);
    expect("a frame anywhere", counter_add(&two, &second, 1, NULL, 0), -EFAULT);
    expect("its password as a frame", frame_at(dp, (word)&state.module.passwords[clients[1]]), -EFAULT);
    expect("among the module", dp_set_stacks(&state.module, dp, clients[1], &state, sizeof state), -EINVAL);
    puts("a frame that a client chose in the module's memory: refused");
    char *here = (char *)((uintptr_t)__builtin_frame_address(0) & -4096ul);
    expect("the stack", dp_set_stacks(&state.module, dp, clients[1], here - 8192, 12288), 0);
    expect("attaching", dp_attach(&two, dp, counter, &passwords[1], NULL, 0, 0), 0);
    expect("add", counter_add(&two, &second, 1, shown, 2), 0);
    expect("its total", second, 35);
    puts("a module that sees its callers needs no A-stacks");
    unsigned long right = takes(&two, 0);
    expect("the last bit", takes(&two, 1ul << 63), right);
    expect("the first", takes(&two, 1), right);
    puts("a password takes as long right as wrong");
    return dp_destroy(dp);
}
