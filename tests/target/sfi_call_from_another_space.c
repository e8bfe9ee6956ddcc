// system served-sfi
// icount
// expect status 0
// expect stdout a call of two words: at most 330 instructions
/* What a call from another address space into a fault domain takes: the hardware portal to its host, the host, the software portal. */
#include "../../apps/bench/bench.h"

int main(void)
{
    int sum = portal_open("server.add");
    long cost = MEASURE(200, invoke_portal(sum, 40, 2));
    if (cost <= 330)
        puts("a call of two words: at most 330 instructions");
    else
        printf("%ld\n", cost);
    return cost > 330;
}
