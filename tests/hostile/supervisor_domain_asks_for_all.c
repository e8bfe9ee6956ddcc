// system supervised
// timeout 120
/* A component in supervisor mode asks for what there is not for it, and calls with addresses and numbers that nobody has: no domain of protection is made
   in its space, in which it would not end with it, no page is shared or moved, and what it passes is looked at as what others pass. It also
   answers its own faults. */
#include "include/hostile.h"
#include "include/inside.h"

static int attack(void)
{
    for (int round = 0; round < hostile_rounds(16); round++) {
        int asks = inside("inside.asks"), answers = inside("inside.answers");
        wall(1, asks > 0 && answers > 0);
        word granted = invoke_portal(asks);
        if (granted)
            printf("granted: %ld\n", granted);
        wall(2, granted == 0);
        word wrong = invoke_portal(answers, 0x30000000l);
        if (wrong)
            printf("wrong: %ld\n", wrong);
        wall(3, wrong == 0);
        portal_close(asks);
        portal_close(answers);
    }
    return 0;
}
