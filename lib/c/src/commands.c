/* Programs in place of this one, and commands for a shell: a component called "sh". */
#include "processes.h"
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* This domain can not be replaced: it waits for the other's end and then ends in the same way. Its descriptors stay open until then. */
int execve(const char *path, char *const arguments[], char *const variables[])
{
    fflush(stdout);
    int streams[3] = {0, 1, 2};
    int ended = 0, domain = __pebble_start_component(path, arguments, variables, streams);
    if (domain < 0)
        return __pebble_failed(domain == -EACCESS || domain == -EPORTAL ? -ENOSYS : domain);
    int result = domain_wait(domain, &ended);
    for (;;)
        invoke_portal(SYS_EXIT, (word)(result < 0 ? 126 : ended == -EDEAD ? 128 + SIGKILL : ended < 0 ? 128 + SIGSEGV : ended));
}
int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}
int execvp(const char *name, char *const arguments[])
{
    return execve(name, arguments, environ);
}
int execvpe(const char *name, char *const arguments[], char *const variables[])
{
    return execve(name, arguments, variables);
}
/* Most arguments of the forms that take them one by one. */
#define MOST 256
static int collect(char *arguments[MOST], const char *first, va_list *rest)
{
    int n = 0;
    for (char *next = (char *)first; next && n < MOST - 1; next = va_arg(*rest, char *))
        arguments[n++] = next;
    arguments[n] = NULL;
    return n < MOST - 1;
}
static int exec_list(const char *path, const char *first, va_list *rest, int with_variables)
{
    char *arguments[MOST];
    if (!collect(arguments, first, rest))
        return __pebble_failed(-E2BIG);
    return execve(path, arguments, with_variables ? va_arg(*rest, char *const *) : environ);
}
int execl(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(path, first, &rest, 0);
    va_end(rest);
    return result;
}
int execlp(const char *name, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(name, first, &rest, 0);
    va_end(rest);
    return result;
}
int execle(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(path, first, &rest, 1);
    va_end(rest);
    return result;
}

static int start_command(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions)
{
    char *const arguments[] = {"sh", "-c", (char *)command, NULL};
    return posix_spawn(pid, "sh", actions, NULL, arguments, environ);
}
int system(const char *command)
{
    static int init_load;
    pid_t pid;
    int status;
    if (!command)
        return __pebble_opened(&init_load, PEBBLE_INIT_LOAD) >= 0;
    /* As of a shell that could not be executed. */
    if (start_command(&pid, command, NULL) != 0)
        return 127 << 8;
    return waitpid(pid, &status, 0) < 0 ? -1 : status;
}

/* Streams of popen, and the commands at their other ends. */
static struct command {
    struct command *next;
    FILE *file;
    pid_t pid;
} *commands;

FILE *popen(const char *text, const char *mode)
{
    int sides[2], reads = mode[0] == 'r', error = ENOMEM;
    if (!reads && mode[0] != 'w') {
        errno = EINVAL;
        return NULL;
    }
    if (pipe(sides) < 0)
        return NULL;
    posix_spawn_file_actions_t actions;
    struct command *command = malloc(sizeof *command);
    FILE *file = fdopen(sides[!reads], reads ? "r" : "w");
    if (command && file && (error = posix_spawn_file_actions_init(&actions)) == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, sides[reads], reads);
        if (error == 0)
            error = start_command(&command->pid, text, &actions);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(sides[reads]);
    if (error == 0) {
        command->file = file;
        command->next = commands;
        commands = command;
        return file;
    }
    if (file)
        fclose(file);
    else
        close(sides[!reads]);
    free(command);
    errno = error;
    return NULL;
}
int pclose(FILE *file)
{
    struct command **at = &commands;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    struct command *command = *at;
    if (!command) {
        errno = EINVAL;
        return -1;
    }
    *at = command->next;
    pid_t pid = command->pid;
    int status;
    free(command);
    fclose(file);
    return waitpid(pid, &status, 0) < 0 ? -1 : status;
}
