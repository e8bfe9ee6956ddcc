// expect stdout cause 13 at 0x123000
// expect stdout went on
// expect stdout cause 2
// expect stdout repaired: 7
/* A domain answers its own faults: it goes on elsewhere, or makes the access possible. */
#include <pebble.h>

extern char after_load[], after_illegal[];
static volatile long *const page = (long *)0x18000000;

static word handler(word asid, word cause, word address, word pc)
{
    (void)pc;
    if (address == (word)page) {
        page_map(asid, (void *)page, NULL, PAGE_READ | PAGE_WRITE);
        return 0;
    }
    if (cause == 2) {
        printf("cause 2\n");
        return (word)after_illegal;
    }
    printf("cause %ld at %#lx\n", cause, address);
    return (word)after_load;
}
int main(void)
{
    pager_register(get_asid(), NULL, 0, handler);
    __asm__ volatile("li a5, 0x123000; ld a5, 0(a5); .globl after_load; after_load:" : : : "a5", "memory");
    printf("went on\n");
    __asm__ volatile("unimp; .globl after_illegal; after_illegal:" : : : "memory");
    *page = 7;
    printf("repaired: %ld\n", *page);
    return 0;
}
