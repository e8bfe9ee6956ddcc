/* A server that is started again and again: it serves until it is asked to go wrong. */
#include <pebble.h>

static int calls;
static word count(word how)
{
    calls++;
    switch (how) {
    case 1: *(volatile word *)8 = 1; break;               /* a store to where nothing is */
    case 2: __asm__ volatile("unimp"); break;             /* no instruction */
    case 3: for (volatile word *p = (word *)&how;; p += 512) *p = 1; /* up and out of its stack */
    case 4: exit(3);
    }
    return calls;
}
int main(void)
{
    portal_register("again.count", "npi", count, 0, 1);
    thread_exit();
}
