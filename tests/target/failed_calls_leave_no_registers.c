// expect stdout ways to fail: 5, registers of somebody else's: 0
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
/* A call that a portal refuses: what its code, and the nucleus, have worked with is not in the registers that a call may change. */
enum { KEPT = 0x5a5a };
static int foreign;

static word call(int portal, word first, word second, word third)
{
    word left[10];
    register word a0 __asm__("a0") = first, a1 __asm__("a1") = second, a2 __asm__("a2") = third, a7 __asm__("a7") = portal;
    register word *to __asm__("s1") = left;
    __asm__ volatile("li t0, 0x5a5a; li t1, 0x5a5a; li t2, 0x5a5a; li t3, 0x5a5a; li t4, 0x5a5a; li t5, 0x5a5a; li t6, 0x5a5a\n"
                     "li a3, 0x5a5a; li a4, 0x5a5a; li a5, 0x5a5a; li a6, 0x5a5a\n"
                     "ecall\n"
                     "sd t0, 0(s1); sd t2, 8(s1); sd t3, 16(s1); sd t4, 24(s1); sd t5, 32(s1); sd t6, 40(s1)\n"
                     "sd a3, 48(s1); sd a4, 56(s1); sd a5, 64(s1); sd a6, 72(s1)"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a7)
                     : "r"(to)
                     : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "a6");
    for (int n = 0; n < 10; n++)
        if (left[n] != 0 && left[n] != KEPT) {
            printf("portal %d failed with %ld: register %d has %lx\n", portal, a0, n, left[n]);
            foreign++;
        }
    return a0;
}
static word serve(word n)
{
    return n;
}
int main(void)
{
    int file = open("file", O_RDWR | O_CREAT), ready = sem_create(0), ways = 0, status;
    /* No portal of that number; a window where nothing is, one in what is the system's, one that is not writable. */
    ways += call(500, 1, 2, 3) == -EPORTAL;
    ways += call(file + 1, 0x10, 8, 0) < 0;
    ways += call(file + 1, -4096, 8, 0) < 0;
    ways += call(file, (word)main, 8, 0) < 0;
    /* The server has ended. */
    int child = domain_fork(0);
    if (child == 0) {
        portal_register("app.dead", "npi", serve, 0, 1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int dead = portal_open("app.dead");
    domain_kill(child);
    domain_wait(child, &status);
    ways += call(dead, 1, 0, 0) < 0;
    printf("ways to fail: %d, registers of somebody else's: %d\n", ways, foreign);
    return 0;
}
