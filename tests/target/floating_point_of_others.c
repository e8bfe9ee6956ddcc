// expect stdout registers of another's: 0
#include <pebble.h>
/* Who has not used floating point finds nothing of who has: another domain's thread fills all registers and waits, and the next one reads them. */
#define EACH(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15) m(16) m(17) m(18) m(19) m(20) m(21) m(22) \
    m(23) m(24) m(25) m(26) m(27) m(28) m(29) m(30) m(31)
#define FILL(n) "fmv.d.x f" #n ", %0\n"
#define READ(n) "fmv.x.d t0, f" #n "\nsd t0, 8*" #n "(%0)\n"
enum { ROUNDS = 100 };
static const word SECRET = 0x4008cafe5ec4e712;
static int filled, seen;

static void fill(void)
{
    __asm__ volatile(EACH(FILL) : : "r"(SECRET) : "memory");
}
static int foreign(void)
{
    static word all[32];
    int found = 0;
    __asm__ volatile(EACH(READ) : : "r"(all) : "t0", "memory");
    for (int n = 0; n < 32; n++)
        found += all[n] == SECRET;
    return found;
}
int main(void)
{
    int sum = 0, status;
    filled = sem_create(0), seen = sem_create(0);
    for (int round = 0; round < ROUNDS; round++) {
        /* Made before anybody has filled anything: it has no floating-point state of its own. */
        int child = domain_fork(0);
        if (child == 0) {
            sem_wait(filled);
            exit(foreign());
        }
        /* It is to wait already, so that the switch goes to it. */
        hrsleep(20000);
        fill();
        sem_post(filled);
        domain_wait(child, &status);
        sum += status;
    }
    printf("registers of another's: %d\n", sum);
    return 0;
}
