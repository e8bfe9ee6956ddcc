/* A program of the suite: does its work once to have its memory, and again to count its instructions; prints their number and the sum
   of the results. The counter is the core's; under icount it counts instructions. */
#include "suite.h"
#include <stdio.h>

static uint64_t sum;
static uint32_t state;

static uint64_t count(void)
{
    uint64_t cycles;
    __asm__ volatile("rdcycle %0" : "=r"(cycles) : : "memory");
    return cycles;
}
/* xorshift32: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (14), 2003. */
uint32_t suite_random(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
void suite_text(char *to, size_t bytes)
{
    static const char *const parts[] = { "ka", "mo", "ren", "ti", "sul", "bra", "eno", "ul", "dev", "pi", "chor", "ast", "un", "ge", "lin", "fo" };
    size_t at = 0;
    while (at < bytes) {
        uint32_t word = suite_random() & suite_random() & 0xffff;
        for (int n = 0; n < 1 + (int)(word >> 12 & 3) && at < bytes; n++, word >>= 4)
            for (const char *p = parts[word & 15]; *p && at < bytes; p++)
                to[at++] = *p;
        if (at < bytes)
            to[at++] = word % 11 ? ' ' : '\n';
    }
}
void suite_result(const void *bytes, size_t count)
{
    for (const unsigned char *p = bytes; count--; p++)
        sum = (sum ^ *p) * 0x100000001b3;
}
int main(void)
{
    uint64_t counted = 0;
    for (int n = 0; n < 2; n++) {
        sum = 0xcbf29ce484222325;
        state = 2463534242;
        uint64_t start = count();
        work();
        counted = count() - start;
    }
    printf("suite %llu %016llx\n", (unsigned long long)counted, (unsigned long long)sum);
    return 0;
}
