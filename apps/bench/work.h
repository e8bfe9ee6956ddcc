/* What the callee of `isolation.c` does with what it is passed, and by itself: so that the same can be measured without any call. */
#ifndef WORK_H
#define WORK_H

#include <pebble.h>

static __attribute__((noipa)) word sum(const word *words, word bytes)
{
    word total = 0;
    for (word n = 0; n < bytes / (word)sizeof(word); n++)
        total += words[n];
    return total;
}
/* Sorts words that nobody has seen, and looks them through: loads, stores and jumps, and no call. */
static __attribute__((noipa)) word work(word seed)
{
    enum { COUNT = 1024 };
    static word words[COUNT];
    for (int n = 0; n < COUNT; n++)
        words[n] = (seed = seed * 6364136223846793005 + 1442695040888963407) >> 33;
    for (int gap = COUNT / 2; gap > 0; gap /= 2)
        for (int n = gap; n < COUNT; n++) {
            word moved = words[n];
            int to = n;
            for (; to >= gap && words[to - gap] > moved; to -= gap)
                words[to] = words[to - gap];
            words[to] = moved;
        }
    word seen = 0;
    for (int n = 0; n < COUNT; n++)
        seen = seen * 31 + words[n];
    return seen;
}
#endif
