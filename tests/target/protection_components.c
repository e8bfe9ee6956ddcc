// system parts
// timeout 60
// expect stdout a component in the program's space sums a list of 1000 nodes: 499500
// expect stdout it has its own data, heap, threads and library
// expect stdout so has one in Rust
// expect stdout what it was not shown ends it alone, and it is started again, and was shown nothing
// expect stdout its task, which sees all, writes to its memory
// expect stdout one that may take little gets little
// expect stdout what a component's handle is not good for is refused
// expect stderr part (domain 
// expect stderr was stopped: load page fault
// expect stderr starting part again
/* Domains of protection that are components of the manifest. */
#include "include/once_there.h"

struct node {
    struct node *next;
    word value;
};
static _Alignas(4096) word shown[512], hidden[512];
static _Alignas(4096) struct node nodes[1000];

static int fails(const char *what, word got)
{
    printf("FAILED: %s: %ld %s\n", what, got, got < 0 ? pebble_strerror(got) : "");
    exit(1);
}
/* Calls it once. */
#define call(name, ...)                                   \
    ({                                                    \
        int portal_ = once_there(name);                       \
        word result_ = invoke_portal(portal_, __VA_ARGS__); \
        portal_close(portal_);                            \
        result_;                                          \
    })
static int part(const char *name)
{
    int dp = dp_open(name);
    return dp < 0 ? fails(name, dp) : dp;
}
static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        fails(what, got);
}
static void shares(int dp)
{
    for (int n = 0; n < 1000; n++)
        nodes[n] = (struct node){n ? &nodes[n - 1] : NULL, n};
    expect("its number", call("app.part.number", 0), dp_number(dp));
    expect("showing", dp_make_visible(dp, nodes, sizeof nodes + -sizeof nodes % 4096, PAGE_READ), 0);
    word total = call("app.part.list", &nodes[999]);
    printf("a component in the program's space sums a list of 1000 nodes: %ld\n", total);
    for (word round = 1; round <= 3; round++)
        expect("itself", call("app.part.itself", round), 0);
    puts("it has its own data, heap, threads and library");
}
static void in_rust(void)
{
    int dp = part("part-rust");
    expect("showing", dp_make_visible(dp, shown, sizeof shown, PAGE_READ), 0);
    for (int n = 0; n < 512; n++)
        shown[n] = n;
    expect("the sum", call("app.rust.sum", shown, 512), 511 * 256);
    expect("what was said", call("app.rust.said", 511 * 256), strlen("512 of them"));
    expect("what was said", call("app.rust.said", 12), strlen("none of 12"));
    expect("what it does not see", call("app.rust.sum", hidden, 1), -EDEAD);
    expect("closing", dp_close(dp), 0);
    puts("so has one in Rust");
}
static void ends_alone(int dp)
{
    expect("reading", call("app.part.reads", hidden), -EDEAD);
    expect("its handle", dp_number(dp), -EDEAD);
    expect("the handle's end", dp_destroy(dp), 0);
    expect("itself anew", call("app.part.itself", 1), 0);
    dp = part("part");
    expect("what another was shown", call("app.part.reads", nodes), -EDEAD);
    expect("itself anew", call("app.part.itself", 1), 0);
    expect("closing", dp_close(dp), 0);
    puts("what it was not shown ends it alone, and it is started again, and was shown nothing");
}
static void refused(void)
{
    int dp = part("part");
    expect("no such component", dp_open("port"), -ENOENT);
    expect("not its task's", dp_open("console"), -ENOENT);
    expect("itself", dp_open("program"), -ENOENT);
    int made = dp_create("made");
    expect("one that was made", dp_open("made"), -ENOENT);
    expect("more rights", dp_make_visible(dp, (void *)0x40000, 4096, PAGE_WRITE | PAGE_READ), -EACCESS);
    expect("destroying", dp_destroy(made), 0);
    /* Closing a component's last handle does not end it. */
    expect("closing", dp_close(dp), 0);
    expect("a closed handle", dp_number(dp), -EBADF);
    expect("itself still", call("app.part.itself", 2), 0);
    puts("what a component's handle is not good for is refused");
}
int main(void)
{
    int dp = part("part");
    shares(dp);
    in_rust();
    ends_alone(dp);
    /* Where its variables are, it says itself: a task is not kept from its parts. */
    volatile word *entries = (word *)call("app.part.where", 0);
    word before = *entries;
    *entries = 10;
    expect("what its task wrote", before == 1 ? call("app.part.itself", 11) : before, 0);
    *entries = 1;
    puts("its task, which sees all, writes to its memory");
    word some = call("app.small.takes", 100000);
    if (some <= 0 || some >= 400)
        fails("taking", some);
    word much = call("app.part.takes", 1000);
    expect("another's", much, 1000);
    puts("one that may take little gets little");
    refused();
    return 0;
}
