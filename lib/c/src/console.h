/* The console's portals, which are opened again where its driver has died. */
#ifndef PEBBLE_CONSOLE_H
#define PEBBLE_CONSOLE_H

#include "system.h"

enum console_portal { CONSOLE_WRITE, CONSOLE_ERROR, CONSOLE_READ, CONSOLE_RAW, CONSOLE_READY, CONSOLE_PORTALS };

/* Calls one with two words, a buffer and its bytes or what it takes; its result. */
word __pebble_console(enum console_portal which, word first, word second);
#endif
