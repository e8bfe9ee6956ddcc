// system served-together
// icount
// expect status 0
// expect stdout a call of two words: at most 400 instructions
/* What a call from one fault domain to another one of its address space takes. No trap is on its way, so it is measured in the caller: a portal's
   number is all that it has to know. */
#include "../../apps/bench/bench.h"

int main(void)
{
    int measure = portal_open("first.measure");
    long cost = invoke_portal(measure, 200l);
    printf("%ld\n", cost);
    if (cost <= 400)
        printf("a call of two words: at most 400 instructions\n");
    return cost > 400;
}
