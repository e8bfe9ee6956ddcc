// isolation sfi
// loads
// host tests/hosts/sharing
// timeout 120
// expect status 0
// expect stdout all holds
/* A file whose last part lies at the end of its segment: the memory that it shares with its host does not come to lie behind that, and its stack pointer does not
   walk out over it. */
#include <fault_domain.h>

/* An access every 16 bytes from the stack's end into the guard zone and on: all of it is verified code. */
static word walk(void)
{
    register word mark __asm__("a2") = 0x57575757;
    register word stop __asm__("a3") = 0x1c050000;
    __asm__ volatile("mv a4, sp\n1:\tsd a2, 0(sp)\n\taddi sp, sp, 16\n\tsd a2, 0(sp)\n\tblt sp, a3, 1b\n\tsd x0, 8(sp)\n\tmv sp, a4" : : "r"(mark), "r"(stop) : "a4", "memory");
    return 1;
}
int main(void)
{
    static const struct fault_domain_offer offer = {1, {walk}};
    fault_domain_offer(&offer);
}
