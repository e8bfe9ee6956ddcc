// system spawns
// expect stdout 4 children, 4 signals, one at a time
/* Children that end at one time: the handler of SIGCHLD is called for each, and never while it runs already, as in a program with one
   thread, which counts without a lock. */
#include <pebble.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 4
static volatile int inside, together, told;
static void child_ended(int signal)
{
    int before = told;
    together += inside++ > 0;
    /* Long enough for the others to end. */
    usleep(200000);
    inside--;
    told = before + (signal == SIGCHLD);
}
int main(void)
{
    char *arguments[] = {"started", NULL};
    pid_t pid;
    int ended = 0;
    signal(SIGCHLD, child_ended);
    for (int n = 0; n < CHILDREN; n++)
        if (posix_spawnp(&pid, "started", NULL, NULL, arguments, NULL) != 0)
            return 1;
    while (wait(NULL) > 0)
        ended++;
    while (told < ended && !together)
        usleep(10000);
    if (together)
        return 2;
    printf("%d children, %d signals, one at a time\n", ended, told);
    return 0;
}
