// expect stdout kept
#include <pebble.h>
/* An untrusting portal keeps the caller's registers whatever the server does to them. */
static word spoil(void)
{
    __asm__ volatile("li s0, -1; li s1, -1; li s2, -1; li s3, -1; li s4, -1; li s5, -1; li s6, -1; li s7, -1; li s8, -1;"
                     "li s9, -1; li s10, -1; li s11, -1; li tp, 0; li a0, 5; li a7, 0; ecall");
    __builtin_unreachable();
}
int main(void)
{
    portal_register("app.spoil", "np", spoil, 0, 1);
    int child = domain_fork(0), status;
    if (child == 0) {
        int portal = portal_open("app.spoil");
        register long s2 __asm__("s2") = 1234, s11 __asm__("s11") = 5678;
        __asm__ volatile("" : "+r"(s2), "+r"(s11));
        register long a7 __asm__("a7") = portal, a0 __asm__("a0");
        __asm__ volatile("ecall"
                         : "=r"(a0), "+r"(a7), "+r"(s2), "+r"(s11)
                         :
                         : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6");
        long cleared;
        __asm__ volatile("or %0, t0, t1; or %0, %0, a1; or %0, %0, t6" : "=r"(cleared));
        (void)cleared;
        exit(a0 == 5 && s2 == 1234 && s11 == 5678 && get_thread() > 0 && errno == 0 ? 0 : 1);
    }
    domain_wait(child, &status);
    if (status == 0)
        printf("kept\n");
    return status;
}
