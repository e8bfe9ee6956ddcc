/* An end without what `exit` does: only what was asked for here is called (ISO C11). */
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 32 };
static void (*called[MOST])(void);
static unsigned count;

/* Not 0: there are 32 of them. */
int at_quick_exit(void (*function)(void))
{
    unsigned own = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (own >= MOST) {
        __atomic_store_n(&count, MOST, __ATOMIC_RELAXED);
        return 1;
    }
    __atomic_store_n(&called[own], function, __ATOMIC_RELEASE);
    return 0;
}
void quick_exit(int status)
{
    /* One that ends this way itself begins with those that are left. */
    for (unsigned n = count < MOST ? count : MOST; n > 0; n--)
        if (called[n - 1]) {
            void (*function)(void) = called[n - 1];
            called[n - 1] = NULL;
            function();
        }
    _exit(status);
}
