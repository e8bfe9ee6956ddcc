// system spawns
// expect stdout into a pipe and out again: HELLO
// expect stdout popen: two
// expect stdout popen: words
// expect stdout SPOKEN TO
// expect stdout FROM A FILE
// expect stdout system: 3
// expect stdout 5 children, one of them killed, one of them stopped
// expect stdout and now in place of this one
// expect stderr started: [a b] [7] COLOUR=red
// expect status 9
/* Programs that a program starts: posix_spawn with descriptors and variables, popen both ways, system, wait for any child,
   SIGCHLD, exec. */
#include <errno.h>
#include <fcntl.h>
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
static volatile int told;
static void child_ended(int signal)
{
    told += signal == SIGCHLD;
}
static int through_pipes(void)
{
    int in[2], out[2], status;
    pid_t pid;
    char said[64] = "";
    char *arguments[] = {"started", "a b", "7", NULL}, *variables[] = {"COLOUR=red", NULL};
    posix_spawn_file_actions_t actions;
    CHECK(pipe(in) == 0 && pipe(out) == 0);
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, in[0], 0) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, out[1], 1) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, in[1]) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, 0, 9) == EBADF);
    CHECK((errno = posix_spawn(&pid, "/bin/started", &actions, NULL, arguments, variables)) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    CHECK(write(in[1], "hello", 5) == 5);
    close(in[1]);
    for (int n, at = 0; (n = read(out[0], said + at, sizeof said - 1 - at)) > 0; at += n)
        ;
    close(out[0]);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(waitpid(pid, &status, 0) == -1 && errno == ECHILD);
    printf("into a pipe and out again: %s\n", said);
    return 0;
}
static int commands(void)
{
    char line[64];
    FILE *file = popen("echo two; echo words | cat", "r");
    CHECK(file);
    while (fgets(line, sizeof line, file))
        printf("popen: %s", line);
    CHECK(pclose(file) == 0);
    fflush(stdout);
    CHECK(file = popen("started x 0", "w"));
    fprintf(file, "spoken to\n");
    CHECK(pclose(file) == 0 && pclose(NULL) == -1);
    CHECK(popen("echo", "x") == NULL && errno == EINVAL);
    CHECK(file = fopen("data", "w"));
    CHECK(fputs("from a file\n", file) >= 0 && fclose(file) == 0);
    int status = system("started x 3 < /etc/nothing-here || started y 3 < data");
    CHECK(system(NULL));
    printf("system: %d\n", WEXITSTATUS(status));
    return 0;
}
static int many(void)
{
    char *arguments[] = {"started", NULL};
    pid_t pid, loops;
    int status, ended = 0, killed = 0, stopped = 0;
    CHECK(wait(&status) == -1 && errno == ECHILD);
    signal(SIGCHLD, child_ended);
    int before = told;
    for (int n = 0; n < 3; n++)
        CHECK(posix_spawnp(&pid, "started", NULL, NULL, arguments, NULL) == 0);
    CHECK(posix_spawnp(&pid, "faults", NULL, NULL, arguments, NULL) == 0);
    CHECK(posix_spawnp(&loops, "loops", NULL, NULL, arguments, NULL) == 0);
    CHECK(waitpid(loops, &status, WNOHANG) == 0);
    for (; ended < 4 && (pid = wait(&status)) > 0; ended++) {
        CHECK(pid != loops);
        stopped += WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    }
    CHECK(waitpid(-1, &status, WNOHANG) == 0 && kill(loops, SIGKILL) == 0);
    CHECK(wait(&status) == loops && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    killed++, ended++;
    /* The handler may run after the wait has returned: so it may have run here for one of those before, too. */
    while (told - before < 5)
        usleep(10000);
    printf("%d children, %s of them killed, %s of them stopped\n", ended, killed == 1 ? "one" : "?", stopped == 1 ? "one" : "?");
    return 0;
}
int main(void)
{
    pid_t pid;
    char *none[] = {"nothing", NULL};
    CHECK(posix_spawn(&pid, "/bin/nothing-like-it", NULL, NULL, none, NULL) == ENOENT);
    CHECK(execv("nothing-like-it", none) == -1 && errno == ENOENT);
    static char large[5000];
    memset(large, 'x', sizeof large - 1);
    char *much[] = {"started", large, NULL};
    CHECK(posix_spawn(&pid, "started", NULL, NULL, much, NULL) == E2BIG);
    if (through_pipes() || commands() || many())
        return 1;
    /* A copy of this domain has none of its children. */
    int status, copy = domain_fork(NULL);
    if (copy == 0)
        _exit(wait(&status) == -1 && errno == ECHILD ? 5 : 6);
    CHECK(waitpid(copy, &status, 0) == copy && WEXITSTATUS(status) == 5);
    printf("and now in place of this one\n");
    int in[2];
    CHECK(pipe(in) == 0 && dup2(in[0], 0) == 0);
    close(in[1]);
    execl("/bin/started", "started", "in its place", "9", NULL);
    return 1;
}
