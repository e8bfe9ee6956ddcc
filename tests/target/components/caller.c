/*
 * A client that calls a portal with a word, from as many threads as it is told: `caller PORTAL WORD THREADS`. With more than one, each passes one more than the one before.
 */
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>
#include "../include/opened.h"

static int portal;
static void call(void *with) { printf("%ld: %ld\n", (long)with, (long)invoke_portal(portal, (long)with)); }

int main(int argc, char **argv)
{
    int threads[8], count = argc > 3 ? atoi(argv[3]) : 1;
    portal = opened(argc > 1 ? argv[1] : "");
    if (count < 1 || count > 8 || portal < 0)
        return 1;
    for (int n = 0; n < count; n++)
        threads[n] = thread_create(call, (void *)((long)atoi(argv[2]) + n), 10);
    for (int n = 0; n < count; n++)
        thread_join(threads[n]);
    return 0;
}
