/* Ends domains that wait for the console: for room for their output while nobody takes it, and for input. Others must not notice. */
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICKS_PER_SECOND 100000000ull
/* More than may wait at once. */
#define READERS 5

static void end(int child)
{
    int status;
    hrsleep(TICKS_PER_SECOND / 5);
    domain_kill(child);
    domain_wait(child, &status);
}
int main(void)
{
    static char line[64], many[3000];
    memset(many, 'x', sizeof many);
    int child = domain_fork(NULL);
    if (child == 0)
        for (;;)
            write(1, many, sizeof many);
    end(child);
    for (int n = 0; n < READERS; n++) {
        if ((child = domain_fork(NULL)) == 0)
            _exit(read(0, line, sizeof line) < 0);
        end(child);
    }
    write(2, "ready\n", 6);
    int count = read(0, line, sizeof line);
    if (count < 0)
        return 1;
    write(1, "\n", 1);
    write(1, line, count);
    return 0;
}
