// expect status 5
// expect stdout a thread and a process
/* In a file with pebble.h that asks for POSIX fork is a process's, and the paper's has its own name. */
#define PEBBLE_POSIX
#include <pebble.h>
#include <sys/wait.h>

static volatile int shared;

int main(void)
{
    int status, thread = thread_fork();
    if (thread == 0) {
        shared = 1;
        thread_exit();
    }
    thread_join(thread);
    pid_t child = fork();
    if (child == 0) {
        shared = 2;
        _exit(5);
    }
    if (waitpid(child, &status, 0) == child && shared == 1)
        puts("a thread and a process");
    return WEXITSTATUS(status);
}
