// system served-together
// timeout 60
// expect stdout the highest of its own thread: 10
// expect stdout that it gives who calls at 20: 10, and who calls itself: 20
/* A component in another's address space runs its threads at the priority that its own manifest entry has, at most, and not at its host's, whose domain it is. */
#include "include/once_there.h"

int main(void)
{
    word own = invoke_portal(once_there("low.own")), of_caller = invoke_portal(once_there("low.of_caller"));
    printf("the highest of its own thread: %ld\n", own);
    int most = -1;
    for (int priority = 0; priority < 64; priority++)
        if (set_priority(priority) == 0)
            most = priority;
    printf("that it gives who calls at 20: %ld, and who calls itself: %d\n", of_caller, most);
    return 0;
}
