/* The console, as descriptors have it. Its portals are opened at the first use, and again where its driver has died and was started again:
   what was sent to the one before and not read comes again, so nothing is lost. */
#include "console.h"
#include "clocks.h"

static const char *const names[CONSOLE_PORTALS] = {
    PEBBLE_CONSOLE_WRITE, PEBBLE_CONSOLE_ERROR, PEBBLE_CONSOLE_READ, PEBBLE_CONSOLE_RAW, PEBBLE_CONSOLE_READY,
};
static int portals[CONSOLE_PORTALS];

word __pebble_console(enum console_portal which, word first, word second)
{
    unsigned long long end = 0;
    for (;;) {
        int portal = __pebble_opened(&portals[which], names[which]);
        /* A console that does not tell errors from output takes them as that. */
        if (portal < 0 && which == CONSOLE_ERROR && !end)
            return __pebble_console(CONSOLE_WRITE, first, second);
        word result = portal < 0 ? portal : invoke_portal(portal, first, second);
        int died = __pebble_lost(&portals[which], portal, result);
        /* Where one has died, another will be there. */
        if (!died && (!end || portal > 0))
            return result;
        if (!end)
            end = __pebble_units() + SERVER_PATIENCE;
        else if (__pebble_units() >= end)
            return result;
        else
            hrsleep(SERVER_LATER);
    }
}
