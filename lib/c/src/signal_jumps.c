/* Jumps that take the signals with them which a thread blocks. */
#include "signals.h"
#include <setjmp.h>

void __pebble_save_blocked(sigjmp_buf place, int saves)
{
    place->saved = saves;
    if (saves)
        sigprocmask(SIG_BLOCK, NULL, &place->blocked);
}
void siglongjmp(sigjmp_buf place, int value)
{
    if (place->saved)
        sigprocmask(SIG_SETMASK, &place->blocked, NULL);
    longjmp(place->registers, value);
}
