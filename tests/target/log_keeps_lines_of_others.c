// system spawns
// expect stdout 300 children were stopped
// expect stderr was stopped: load page fault at address 0x10,
// expect stderr was stopped: load page fault at address 0x20,
// expect status 126
// timeout 60
/* Children that are stopped by hundreds take from the system log neither the line of a component that was stopped before them nor that of one after. */
#include <pebble.h>
#include <spawn.h>
#include <sys/wait.h>

enum { CHILDREN = 300 };

static int component_is_stopped(void)
{
    static char *const words[] = {"faults", NULL};
    int status;
    pid_t pid;
    return posix_spawn(&pid, "faults", NULL, NULL, words, NULL) == 0 && waitpid(pid, &status, 0) == pid;
}
static int child_is_stopped(void)
{
    int status, child = domain_fork(0);
    if (child == 0)
        *(volatile word *)8 = 1;
    return child > 0 && domain_wait(child, &status) == 0 && status < 0;
}
int main(void)
{
    int stopped = 0;
    if (!component_is_stopped())
        return 1;
    for (int n = 0; n < CHILDREN; n++)
        stopped += child_is_stopped();
    printf("%d children were stopped\n", stopped);
    fflush(stdout);
    return *(volatile int *)0x20;
}
