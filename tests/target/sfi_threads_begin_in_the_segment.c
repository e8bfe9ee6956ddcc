// isolation sfi
// expect status 126
// expect stdout refused
// expect stdout 3 ran, and the last one where the first had been
// expect stdout a stack that ends is a fault
// expect stderr of its fault domain
/* A thread of a fault domain's begins at a word of its segment, on a stack there, or not at all; its stack is used again, and ends at a page that is not
   there. Here they are made without the C library, which has one place for a thread's variables: these threads use none. */
#include <pebble.h>

enum { THREAD_EXIT = 2, THREAD_CREATE = 3, THREAD_JOIN = 23, STACK = 25 };

static volatile int ran;
static volatile unsigned long deepest;
static void count(word stack)
{
    ran += 1;
    deepest = (unsigned long)stack;
    for (;;)
        invoke_portal(THREAD_EXIT);
}
static volatile int deeper = 1;
static void without_end(word unused)
{
    volatile char room[4096];
    room[0] = (char)unused;
    if (deeper)
        without_end(unused + room[0]);
    room[1] = 0;
}
int main(void)
{
    unsigned long tops[3] = {0};
    volatile word entry = (word)(uintptr_t)&count;
    word top = invoke_portal(STACK, 32768l), inside = entry;
    word wrong[][2] = {{inside + 2, top}, {0x10000, top}, {inside - (inside & 0xffffff) - 0x100000, top}, {-4, top},
                       {inside, 0x3fff0000}, {inside, top + 8}, {inside, 0}, {inside, 0x20000000}};
    int let = 0;
    for (unsigned n = 0; n < sizeof wrong / sizeof *wrong; n++)
        let += invoke_portal(THREAD_CREATE, wrong[n][0], wrong[n][1], 0l, -1l) != -EINVAL;
    let += invoke_portal(THREAD_CREATE, inside, top, 0l, 64l) != -EINVAL;
    let += invoke_portal(THREAD_CREATE, inside, top, 0l, 1000l) != -EINVAL;
    let += thread_create(0, 0, -1) != -ENOTSUP;
    printf("%s\n", let ? "let through" : "refused");
    for (int n = 0; n < 3; n++) {
        top = invoke_portal(STACK, 32768l);
        word thread = invoke_portal(THREAD_CREATE, inside, top, top, -1l);
        if (thread < 0 || invoke_portal(THREAD_JOIN, thread))
            return 1;
        tops[n] = deepest;
    }
    printf("%d ran, and the last one where the first had been%s\n", ran, tops[0] == tops[2] ? "" : ", or not");
    top = invoke_portal(STACK, 8192l);
    puts("a stack that ends is a fault");
    fflush(stdout);
    invoke_portal(THREAD_CREATE, &without_end, top, 0l, -1l);
    hrsleep(1000000000);
    return 0;
}
