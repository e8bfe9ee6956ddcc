/* A look through all tables of the system for what must hold of them, which systems for tests may ask for. */
#pragma once
#include <pebble.h>
#include <stdio.h>

/* What was found, as the system says it: a name, which is empty where all holds. */
typedef struct {
    _Alignas(128) char what[48];
    unsigned long at, number, value;
} violation;

/* Whether all holds, by `check` (`inspect.check`); says what does not, or that nobody has looked. */
static inline int all_holds(int check, const char *when)
{
    static violation found;
    int result;
    /* Somebody may be in the midst of changing them. */
    for (int tries = 0; (result = invoke_portal(check, &found)) == -EAGAIN && tries < 500; tries++)
        yield();
    if (result == 0 && found.what[0] == 0)
        return 1;
    printf("%s: %s: at %lu, number %lu, value %#lx\n", when, result ? pebble_strerror(result) : found.what, found.at, found.number, found.value);
    return 0;
}
