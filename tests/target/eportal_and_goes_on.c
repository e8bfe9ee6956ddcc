// expect stdout invoke: no such portal
// expect stdout out of range: no such portal
// expect stdout raw: -201
// expect stdout still here
#include <pebble.h>
int main(void)
{
    printf("invoke: %s\n", pebble_strerror(invoke_portal(300)));
    printf("out of range: %s\n", pebble_strerror(invoke_portal(100000)));
    register long a7 __asm__("a7") = 400, a0 __asm__("a0") = 5;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6");
    printf("raw: %ld\n", a0);
    printf("still here\n");
    return 0;
}
