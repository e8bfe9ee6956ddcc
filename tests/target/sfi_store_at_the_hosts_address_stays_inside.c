// isolation sfi
// expect status 0
// expect stdout the host has what it had
/* A store to the host's memory ends in the fault domain's own. It may read the host's. */
#include <pebble.h>

int main(void)
{
    /* The host's code, constants and stack. */
    volatile unsigned *places[] = {(unsigned *)0x10000, (unsigned *)0x3feff000};
    unsigned before[2], wrong = 0;
    for (int n = 0; n < 2; n++)
        before[n] = *places[n];
    /* The segment has a page where the second one leads; the first leads to its jump table. */
    *places[1] = ~before[1];
    for (int n = 0; n < 2; n++)
        wrong += *places[n] != before[n];
    printf("the host has %s\n", wrong ? "something else" : "what it had");
    return wrong;
}
