/* Takes SIGINT and SIGTERM: counts the ones and ends at the second, ends at the other with a status of its own. With an argument it blocks
   SIGINT first, until a line is read; with another, it ignores it. What it says is on standard error, so that it is seen in a pipeline. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts, terminated;

static void handler(int signal)
{
    if (signal == SIGINT)
        interrupts++;
    else
        terminated = 1;
}
int main(int argc, char **argv)
{
    char line[80];
    sigset_t set, none;
    sigemptyset(&set);
    sigemptyset(&none);
    sigaddset(&set, SIGINT);
    int blocks = argc > 1 && strcmp(argv[1], "blocks") == 0;
    if (argc > 1 && strcmp(argv[1], "ignores") == 0)
        signal(SIGINT, SIG_IGN);
    else
        signal(SIGINT, handler);
    signal(SIGTERM, handler);
    /* From here on, what has come is found before the next wait, and what comes ends that. */
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    fprintf(stderr, "ready\n");
    if (blocks && fgets(line, sizeof line, stdin))
        fprintf(stderr, "%d interrupts before the end of the line\n", (int)interrupts);
    for (int told = 0; interrupts < 2 && !terminated;) {
        if (interrupts == told)
            sigsuspend(&none);
        if (interrupts > told)
            fprintf(stderr, "interrupt %d\n", ++told);
    }
    fprintf(stderr, terminated ? "terminated\n" : "interrupted twice\n");
    return terminated ? 7 : 0;
}
