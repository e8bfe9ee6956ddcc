// expect status 7
// expect stdout 900 KiB deep, twice
// arguments a b
/* A program that says how much stack its main is to have: all of it is there, in a copy of the domain too. */
#include <pebble.h>

const size_t pebble_main_stack = 1 << 20;

static __attribute__((noinline)) int deep(int kilobytes)
{
    volatile char own[1024];
    own[0] = own[1023] = kilobytes % 100;
    return kilobytes ? deep(kilobytes - 1) + own[1023] - own[0] + 1 : 0;
}
int main(int argc, char **argv)
{
    int how, reached = deep(900), copy = domain_fork(NULL);
    if (copy == 0)
        exit(deep(900) == 900 ? 7 : 1);
    if (domain_wait(copy, &how) == 0 && how == 7 && argc == 3 && strcmp(argv[2], "b") == 0)
        printf("%d KiB deep, twice\n", reached);
    return how;
}
