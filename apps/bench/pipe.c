/* USENIX table 4: one byte goes around a ring of domains, each joined to the next by a pipe. */
#include "bench.h"
#include <unistd.h>

#define MOST 8

static int pipes[MOST][2], children[MOST];
static char byte[1] __attribute__((aligned(8)));

static void pass(int place, int domains)
{
    if (read(pipes[place][0], byte, 1) != 1 || write(pipes[(place + 1) % domains][1], byte, 1) != 1) {
        printf("bench: the ring is broken\n");
        exit(1);
    }
}
int main(int argc, char **argv)
{
    int count = repetitions(argc, argv);
    for (int domains = 2; domains <= MOST; domains *= 2) {
        for (int place = 0; place < domains; place++)
            if (pipe(pipes[place]) < 0) {
                printf("bench: no pipe\n");
                return 1;
            }
        for (int place = 1; place < domains; place++) {
            children[place] = domain_fork(NULL);
            if (children[place] == 0)
                for (;;)
                    pass(place, domains);
        }
        write(pipes[0][1], byte, 1);
        unsigned long round = MEASURE(count, pass(0, domains));
        for (int place = 1; place < domains; place++) {
            domain_kill(children[place]);
            domain_wait(children[place], NULL);
        }
        for (int place = 0; place < domains; place++) {
            close(pipes[place][0]);
            close(pipes[place][1]);
        }
        ROW((round + domains / 2) / domains, .table = "usenix-4", .operation = "pipe", .domains = domains, .measure = "hop");
    }
    return 0;
}
