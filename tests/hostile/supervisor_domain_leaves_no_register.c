// system supervised
// timeout 120
/* A component in supervisor mode returns with other values in all registers, and calls somebody who looks for what it had in them and leaves others, while both
   compute with floating point. Whoever is returned to has what a call keeps, and who is called finds nothing but its arguments. */
#include "include/hostile.h"
#include "include/inside.h"

__attribute__((used)) static word found[32];
/* What comes in, in registers; and none is as it was at the end. */
__attribute__((naked)) static word eats(void)
{
    __asm__("la t0, found\n\tsd ra, 8(t0)\n\tsd gp, 24(t0)\n\tsd t1, 48(t0)\n\tsd t2, 56(t0)\n\tsd s0, 64(t0)\n\tsd s1, 72(t0)\n\t"
            "sd a2, 96(t0)\n\tsd a3, 104(t0)\n\tsd a4, 112(t0)\n\tsd a5, 120(t0)\n\tsd a6, 128(t0)\n\tsd a7, 136(t0)\n\tsd s2, 144(t0)\n\t"
            "sd s3, 152(t0)\n\tsd s4, 160(t0)\n\tsd s5, 168(t0)\n\tsd s6, 176(t0)\n\tsd s7, 184(t0)\n\tsd s8, 192(t0)\n\tsd s9, 200(t0)\n\t"
            "sd s10, 208(t0)\n\tsd s11, 216(t0)\n\tsd t5, 240(t0)\n\tsd t6, 248(t0)\n\t"
            "li s0, -3; li s1, -3; li s2, -3; li s3, -3; li s4, -3; li s5, -3; li s6, -3; li s7, -3; li s8, -3; li s9, -3; li s10, -3\n\t"
            "li s11, -3; li gp, -3; li tp, -3; li sp, -3; li t0, -3; li t1, -3; li t2, -3; li t4, -3; li t5, -3; li t6, -3\n\t"
            "li ra, 0x3ffff004; li a0, 5; li a1, -3; jr ra");
}
/* 0: what a call keeps is as it was over a call of `portal`. */
static word kept(word portal)
{
    register word number __asm__("a7") = portal;
    register word wrong __asm__("a0");
    __asm__ volatile("addi sp, sp, -32\n\tsd tp, 0(sp)\n\tsd s0, 8(sp)\n\tsd s1, 16(sp)\n\tmv s1, sp\n\tli s0, 0x100\n\tli s2, 0x102\n\tli s3, 0x103\n\t"
                     "li s4, 0x104\n\tli s5, 0x105\n\tli s6, 0x106\n\tli s7, 0x107\n\tli s8, 0x108\n\tli s9, 0x109\n\tli s10, 0x10a\n\t"
                     "li s11, 0x10b\n\tecall\n\taddi a0, a0, -7\n\txor t0, sp, s1\n\tor a0, a0, t0\n\tmv sp, s1\n\t"
                     "xori t0, s0, 0x100\n\tor a0, a0, t0\n\txori t0, s2, 0x102\n\tor a0, a0, t0\n\txori t0, s3, 0x103\n\tor a0, a0, t0\n\t"
                     "xori t0, s4, 0x104\n\tor a0, a0, t0\n\txori t0, s5, 0x105\n\tor a0, a0, t0\n\txori t0, s6, 0x106\n\tor a0, a0, t0\n\t"
                     "xori t0, s7, 0x107\n\tor a0, a0, t0\n\txori t0, s8, 0x108\n\tor a0, a0, t0\n\txori t0, s9, 0x109\n\tor a0, a0, t0\n\t"
                     "xori t0, s10, 0x10a\n\tor a0, a0, t0\n\txori t0, s11, 0x10b\n\tor a0, a0, t0\n\tld t0, 0(sp)\n\txor t0, t0, tp\n\tor a0, a0, t0\n\t"
                     "ld tp, 0(sp)\n\tld s0, 8(sp)\n\tld s1, 16(sp)\n\taddi sp, sp, 32"
                     : "=r"(wrong), "+r"(number)
                     :
                     : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6", "s2", "s3", "s4", "s5", "s6", "s7", "s8",
                       "s9", "s10", "s11", "memory");
    return wrong;
}
static word computes(word seed)
{
    double value = seed;
    for (int n = 0; n < 20; n++)
        value = value * 1.5 - seed;
    yield();
    return value > 0;
}
static int attack(void)
{
    int floats = 0, server, status, ready = sem_create(0), never = sem_create(0), looks = sem_create(0), leaks = sem_create(0);
    server = domain_fork(0);
    if (server == 0) {
        portal_register("app.eats", "np", eats, NULL, 2);
        portal_register("app.computes", "npi", computes, NULL, 2);
        sem_post(ready);
        for (;;) {
            sem_wait(looks);
            for (int n = 0; n < 32; n++)
                if (found[n] >> 8 == 0x5afe)
                    sem_post(leaks);
            sem_post(ready);
        }
    }
    sem_wait(ready);
    for (word round = 0; round < hostile_rounds(40); round++) {
        int registers = inside("inside.registers"), keeps = inside("inside.keeps"), computing = inside("inside.floats");
        volatile double own = round;
        double before = own * 3.25;
        wall(1, registers > 0 && keeps > 0 && computing > 0);
        wall(2, kept(registers) == 0);
        wall(3, invoke_portal(keeps, "app.eats") == 0);
        sem_post(looks);
        sem_wait(ready);
        wall(4, sem_trywait(leaks) == -EAGAIN);
        floats |= invoke_portal(computing, "app.computes", round) != 0;
        wall(5, !floats && own * 3.25 == before);
        portal_close(registers);
        portal_close(keeps);
        portal_close(computing);
    }
    sem_destroy(never);
    domain_kill(server);
    wall(6, domain_wait(server, &status) == 0);
    return 0;
}
