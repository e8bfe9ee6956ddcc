/* A domain of a low priority does its worst to keep interrupts off, with the load whose number is the argument, while a thread of a
   higher one sleeps until random moments. For how long they were off at most the machine says that runs it. */
#include "hostile.h"

enum { BACKGROUND = 10, THREADS = 400, SAMPLES = 5000, MIN = 2000, MAX = 6000, SETTLED = 2000000 };

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : -1;
    if (n == HOSTILE_LOADS)
        return 2; /* that was all of them */
    if (n < 0 || n > HOSTILE_LOADS)
        return 1;
    int child = hostile_load(n, THREADS, BACKGROUND);
    puts(hostile_loads[n].name);
    hrsleep(SETTLED);
    for (int i = 0; i < SAMPLES; i++)
        hrsleep(MIN + random() % (MAX - MIN));
    domain_kill(child);
    domain_wait(child, NULL);
    return 0;
}
