/* For a profile: computes for a while, three calls deep, then has the files component work for as long. */
#include <fcntl.h>
#include <pebble.h>
#include <unistd.h>

/* Ticks of hrtime: so long on the slowest machine, too. */
enum { WHILE = 400000000 };
static volatile unsigned sum;

__attribute__((noinline)) static void inner(void)
{
    for (unsigned n = 0; n < 100000; n++)
        sum += n;
}
__attribute__((noinline)) static void outer(void)
{
    unsigned long long end = hrtime() + WHILE;
    while (hrtime() < end)
        inner();
    sum++;
}
int main(void)
{
    outer();
    unsigned long long end = hrtime() + WHILE;
    while (hrtime() < end) {
        int file = open("/tmp/busy", O_RDWR | O_CREAT, 0600);
        if (file < 0 || write(file, "busy", 4) != 4 || close(file) < 0)
            return 1;
    }
    return 0;
}
