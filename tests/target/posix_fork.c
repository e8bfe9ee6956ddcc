// expect stdout 3 + 4 = 7 by a child, 6 bytes
// expect stdout 40 children ended with 1 to 40
// expect stdout a fault is SIGSEGV, a kill SIGKILL
// expect stdout no children are left
/* fork of a program that asks for POSIX, which knows nothing of pebble.h: processes, a pipe between them, and what they end with. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void child_has_ended(int number)
{
    (void)number;
    told = 1;
}
/* A child writes to a pipe, whose end its parent reads to. */
static int sum(void)
{
    int ends[2], status = 0, mine = 3;
    char text[64];
    size_t have = 0;
    ssize_t got;
    if (pipe(ends))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        mine += 4;
        dprintf(ends[1], "sum %d\n", mine);
        _exit(mine);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + have, sizeof text - have)) > 0)
        have += got;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || mine != 3)
        return 2;
    printf("3 + 4 = %d by a child, %zu bytes\n", WEXITSTATUS(status), have);
    return memcmp(text, "sum 7\n", 6);
}
/* Many, four at a time, in whatever order they end. */
static int many(void)
{
    int seen[41] = {0}, started = 0, ended = 0, running = 0, status;
    pid_t of[41] = {0};
    while (ended < 40) {
        if (started < 40 && running < 4) {
            pid_t child = fork();
            if (child == 0)
                exit(started + 1);
            if (child < 0)
                return perror("fork"), 1;
            of[++started] = child;
            running++;
            continue;
        }
        pid_t child = wait(&status);
        int which = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        if (which < 1 || which > 40 || of[which] != child || seen[which]++)
            return printf("%d ended with %#x\n", child, status), 1;
        running--, ended++;
    }
    printf("40 children ended with 1 to 40\n");
    return 0;
}
static int ends(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        *(volatile int *)8 = 1;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
        return 1;
    child = fork();
    if (child == 0)
        for (;;)
            sleep(1);
    if (waitpid(child, &status, WNOHANG) != 0 || kill(child, SIGKILL))
        return 2;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return 3;
    printf("a fault is SIGSEGV, a kill SIGKILL\n");
    return 0;
}
int main(void)
{
    signal(SIGCHLD, child_has_ended);
    int result = sum();
    result = result ? result : many() * 10;
    result = result ? result : ends() * 100;
    if (result)
        return result;
    errno = 0;
    if (wait(NULL) != -1 || errno != ECHILD || !told)
        return 4;
    printf("no children are left\n");
    return 0;
}
