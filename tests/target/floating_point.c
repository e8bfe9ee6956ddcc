// expect stdout 3.141593 0.333333 1e+100
// expect stdout two threads: 1000.000000 2000.000000
// expect stdout across a portal: 2.500000
#include <pebble.h>
static double sum[2];
static void add(void *argument)
{
    int which = (int)(long)argument;
    double local = 0;
    for (int i = 0; i < 1000; i++) {
        local += which + 1;
        yield();
    }
    sum[which] = local;
}
static word spoil(void)
{
    __asm__ volatile("fcvt.d.w fs0, zero; fcvt.d.w fs1, zero; fcvt.d.w fa0, zero" ::: "fs0", "fs1", "fa0");
    return 0;
}
int main(void)
{
    printf("%f %f %g\n", 3.14159265, 1.0 / 3, 1e100);
    int a = thread_create(add, (void *)0, -1), b = thread_create(add, (void *)1, -1);
    thread_join(a);
    thread_join(b);
    printf("two threads: %f %f\n", sum[0], sum[1]);
    portal_register("app.spoil", "np", spoil, 0, 1);
    int child = domain_fork(0), status;
    if (child == 0) {
        int portal = portal_open("app.spoil");
        register double kept __asm__("fs0") = 2.5;
        __asm__ volatile("" : "+f"(kept));
        invoke_portal(portal);
        __asm__ volatile("" : "+f"(kept));
        printf("across a portal: %f\n", kept);
        exit(0);
    }
    domain_wait(child, &status);
    return status;
}
