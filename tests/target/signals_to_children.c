// system spawns
// expect stdout the child handled two interrupts
// expect stdout the child was told to end, and chose how: 7
// expect stdout without a handler it is ended: 9
// expect stdout 200 killed while they waited for a signal
// expect stdout a copy of a domain has signals of its own: 4
// expect stdout one thread at a time waits
// expect status 0
/* Signals to programs that this one has started; what a domain may ask of its own that is not a component's, or twice. */
#include <errno.h>
#include <pebble.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                     \
    if (!(condition)) {                                                      \
        printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno)); \
        return 1;                                                            \
    }
/* Starts a component; it has said that it is ready. The descriptor is that of what it says. */
static pid_t start(const char *name, int *said)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {(char *)name, NULL};
    int sides[2];
    pid_t pid;
    if (pipe(sides) < 0 || posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    posix_spawn_file_actions_adddup2(&actions, sides[1], 1);
    posix_spawn_file_actions_adddup2(&actions, sides[1], 2);
    errno = posix_spawn(&pid, name, &actions, NULL, arguments, NULL);
    posix_spawn_file_actions_destroy(&actions);
    close(sides[1]);
    *said = sides[0];
    return errno ? -1 : pid;
}
/* Reads until the child has said `what`. */
static int said(int from, const char *what)
{
    char text[200] = "";
    for (size_t at = 0; !strstr(text, what); at++)
        if (at + 1 == sizeof text || read(from, text + at, 1) != 1)
            return 0;
    return 1;
}
static int ends(pid_t child, int from)
{
    int status = -1;
    /* It may say something yet: to a pipe that nobody reads that would be its end. */
    pid_t ended = waitpid(child, &status, 0);
    close(from);
    return ended == child ? status : -1;
}
static int told(void)
{
    int from;
    pid_t child = start("interrupted", &from);
    CHECK(child > 0 && said(from, "ready"));
    CHECK(kill(child, SIGINT) == 0 && said(from, "interrupt 1"));
    CHECK(kill(child, SIGINT) == 0 && said(from, "interrupted twice"));
    CHECK(ends(child, from) == 0);
    printf("the child handled two interrupts\n");
    /* Who waits for it may hear of its end first. */
    for (int patience = 500; kill(child, SIGINT) == 0 && patience > 0; patience--)
        usleep(10000);
    CHECK(kill(child, SIGINT) < 0 && errno == ESRCH);

    child = start("interrupted", &from);
    CHECK(child > 0 && said(from, "ready") && kill(child, SIGTERM) == 0);
    int status = ends(child, from);
    CHECK(WIFEXITED(status));
    printf("the child was told to end, and chose how: %d\n", WEXITSTATUS(status));

    child = start("loops", &from);
    CHECK(child > 0 && kill(child, SIGINT) == 0);
    status = ends(child, from);
    CHECK(WIFSIGNALED(status));
    printf("without a handler it is ended: %d\n", WTERMSIG(status));
    return 0;
}
static int killed(void)
{
    int rounds = 0, from;
    for (; rounds < 200; rounds++) {
        pid_t child = start("interrupted", &from);
        CHECK(child > 0 && said(from, "ready"));
        /* In the middle of its wait, or of what it does for the other. */
        CHECK((rounds & 1 || kill(child, SIGINT) == 0) && kill(child, SIGKILL) == 0);
        int status = ends(child, from);
        CHECK(WIFSIGNALED(status));
    }
    printf("%d killed while they waited for a signal\n", rounds);
    return 0;
}
static volatile int handled;
static void handler(int signal)
{
    handled = signal;
}
static int in_a_copy(void)
{
    int take = portal_open("init.own.signals"), next = portal_open("init.own.signal"), status;
    if (invoke_portal(take, (word)-1) != -EACCESS || invoke_portal(next) != -EACCESS)
        return 1;
    signal(SIGHUP, handler);
    return raise(SIGHUP) == 0 && handled == SIGHUP && domain_wait(999, &status) < 0 ? 4 : 2;
}
int main(void)
{
    int status;
    if (told() || killed())
        return 1;
    CHECK(signal(SIGINT, handler) == SIG_DFL && signal(SIGUSR1, SIG_IGN) == SIG_DFL);
    int copy = domain_fork(NULL);
    if (copy == 0)
        _exit(in_a_copy());
    CHECK(copy > 0 && domain_wait(copy, &status) == 0);
    printf("a copy of a domain has signals of its own: %d\n", status);
    /* The thread of the C library may not have come to wait yet: then this one does. */
    int next = portal_open("init.own.signal");
    usleep(100000);
    CHECK(next > 0 && invoke_portal(next) == -EBUSY);
    printf("one thread at a time waits\n");
    return 0;
}
