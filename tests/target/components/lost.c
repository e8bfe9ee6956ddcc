/* A trusted server that loses its stack: its stack pointer is where its callers say, and then it faults, or first calls one of the first components, or its caller. */
#include <pebble.h>

static int of;

static word fault(word where)
{
    __asm__ volatile("mv sp, %0\n    ld zero, 8(zero)" : : "r"(where) : "memory");
    return -1;
}
static word call(word where, word back)
{
    register word a0 __asm__("a0") = 1, a7 __asm__("a7") = back ? portal_open("app.back") : of;
    __asm__ volatile("mv sp, %2\n    ecall\n    ld zero, 8(zero)" : "+r"(a0), "+r"(a7) : "r"(where) : "memory");
    return -1;
}
static word who(void) { return get_asid(); }

/* Portals by which their client keeps its registers: a trusted server that ends gives none back. */
int main(void)
{
    of = portal_open("account.of");
    portal_register("lost.fault", "spi", fault, 0, 0);
    portal_register("lost.call", "spii", call, 0, 0);
    portal_register("lost.who", "sm", who, 0, 0);
    thread_exit();
}
