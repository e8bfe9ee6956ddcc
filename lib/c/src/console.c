/* The console, as descriptors have it. Its portals are opened at the first use, and again where its driver has died and was started again:
   what was sent to the one before and not read comes again, so nothing is lost. */
#include "console.h"
#include "clocks.h"

static const char *const names[CONSOLE_PORTALS] = {
    PEBBLE_CONSOLE_WRITE, PEBBLE_CONSOLE_ERROR, PEBBLE_CONSOLE_READ, PEBBLE_CONSOLE_RAW, PEBBLE_CONSOLE_READY,
};
static int portals[CONSOLE_PORTALS];

/* For how long a driver that has died is waited for, in units of the time register, and ticks after which it is looked for again. */
#define PATIENCE (2 * TIMEBASE)
#define LATER 1000000

/* The portal, whose server may have died; another thread that opens it at the same time has the same. */
static int opened(enum console_portal which)
{
    int portal = __atomic_load_n(&portals[which], __ATOMIC_RELAXED);
    if (portal > 0)
        return portal;
    int made = portal_open(names[which]), none = portal;
    if (made > 0 && !__atomic_compare_exchange_n(&portals[which], &none, made, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        portal_close(made);
        return none > 0 ? none : opened(which);
    }
    return made;
}
static void forget(enum console_portal which, int portal)
{
    /* Closed by one: the number may be another portal's by the time that the next thread is here. */
    if (__atomic_compare_exchange_n(&portals[which], &(int){portal}, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        portal_close(portal);
}
word __pebble_console(enum console_portal which, word first, word second)
{
    unsigned long long end = 0;
    for (;;) {
        int portal = opened(which);
        /* A console that does not tell errors from output takes them as that. */
        if (portal < 0 && which == CONSOLE_ERROR && !end)
            return __pebble_console(CONSOLE_WRITE, first, second);
        word result = portal < 0 ? portal : invoke_portal(portal, first, second);
        int died = portal > 0 && (result == -EDEAD || result == -EPORTAL);
        /* Where one has died, another will be there. */
        if (!died && (!end || portal > 0))
            return result;
        if (died)
            forget(which, portal);
        if (!end)
            end = __pebble_units() + PATIENCE;
        else if (__pebble_units() >= end)
            return result;
        else
            hrsleep(LATER);
    }
}
