// expect stdout 3 faults: 8 fffffffffffffff8 ffffffffffffffff
/* Who answers the faults of all addresses answers that of the last one, too: code that is not trusted may choose where it loads. */
#include <pebble.h>

extern char behind_load[];
static word seen[3];
static int faults;

static word skip(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)pc;
    seen[faults++] = address;
    return (word)behind_load;
}
static __attribute__((noinline)) void load(word address)
{
    __asm__ volatile("lb zero, 0(%0); .globl behind_load; behind_load:" : : "r"(address) : "memory");
}
int main(void)
{
    pager_register(get_asid(), NULL, 0, skip);
    load(8), load(-8), load(-1);
    printf("%d faults: %lx %lx %lx\n", faults, seen[0], seen[1], seen[2]);
    return 0;
}
