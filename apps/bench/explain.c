/* One call with the specification that is the first argument, between the marks that begin and end the model's trace; calls
   before it have filled caches and TLBs. "get_asid" is the short-circuit portal. */
#include "bench.h"

static char page[4096] __attribute__((aligned(4096)));

/* rtl/trace.h */
#define BEGIN() __asm__ volatile("slti zero, zero, 1" : : : "memory")
#define END() __asm__ volatile("slti zero, zero, 2" : : : "memory")
#define WARM 8
#define TRACE(call)                         \
    for (int i = 0; i <= WARM; i++) {       \
        if (i == WARM)                      \
            BEGIN();                        \
        call;                               \
        if (i == WARM)                      \
            END();                          \
    }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "get_asid") == 0) {
        TRACE(get_asid());
    } else if (strcmp(what, "yield") == 0) {
        TRACE(yield());
    } else if (strcmp(what, "semaphore") == 0) {
        int semaphore = sem_create(1);
        TRACE((sem_wait(semaphore), sem_post(semaphore)));
    } else if (strcmp(what, "smciii") == 0 || strcmp(what, "npciii") == 0) {
        int portal = open_or_exit(*what == 's' ? "chain.s-1" : "chain.n-1");
        TRACE(invoke_portal(portal, 0l, 2l, 3l));
    } else if (strcmp(what, "smcwii") == 0 || strcmp(what, "npcwii") == 0) {
        int portal = open_or_exit(*what == 's' ? "chain.s-window-1" : "chain.n-window-1");
        *page = 1;
        TRACE(invoke_portal(portal, page, 0l, 3l));
    } else {
        fprintf(stderr, "bench: explain knows get_asid, yield, semaphore, smciii, npciii, smcwii and npcwii\n");
        return 1;
    }
    return 0;
}
