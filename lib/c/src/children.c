/* Waiting for children: each domain that posix_spawn has started is waited for by a thread of its own, so that any of them can be
   waited for, or asked for, and SIGCHLD comes. */
#include "processes.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
    struct process *next;
    pid_t pid;
    int ended, status, streams[3];
};
static struct process *children;
/* Whose children they are: a copy of this domain has none. */
static int owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Held while SIGCHLD is handled: a program has one thread as far as it knows, so its handler does not run twice at once. */
static pthread_mutex_t handling = PTHREAD_MUTEX_INITIALIZER;

/* A child that was stopped for a fault looks like one that SIGSEGV ended, and one that was killed as if by SIGKILL. */
static int status_of(int ended)
{
    return ended >= 0 ? (ended & 0xff) << 8 : ended == -EDEAD ? SIGKILL : SIGSEGV;
}
static void watch(void *argument)
{
    struct process *child = argument;
    int ended = 0, result = domain_wait(child->pid, &ended);
    __pebble_close_streams(child->streams);
    pthread_mutex_lock(&lock);
    child->status = status_of(result < 0 ? -EDEAD : ended);
    child->ended = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&handling);
    raise(SIGCHLD);
    pthread_mutex_unlock(&handling);
}
void __pebble_forget_others_children(void)
{
    if (owner == get_asid())
        return;
    owner = get_asid();
    children = NULL;
    lock = handling = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
int __pebble_watch(pid_t pid, const int streams[3])
{
    struct process *child = malloc(sizeof *child);
    if (!child)
        return -ENOMEM;
    __pebble_forget_others_children();
    *child = (struct process){.pid = pid, .streams = {streams[0], streams[1], streams[2]}};
    pthread_mutex_lock(&lock);
    child->next = children;
    children = child;
    int result = thread_create(watch, child, -1);
    if (result < 0) {
        children = child->next;
        free(child);
    }
    pthread_mutex_unlock(&lock);
    return result < 0 ? result : 0;
}
/* The place of a child that `pid` stands for, one that has ended if there is one; NULL: there is none at all. */
static struct process **find(pid_t pid)
{
    struct process **running = NULL;
    for (struct process **at = &children; *at; at = &(*at)->next)
        if (pid <= 0 || (*at)->pid == pid) {
            if ((*at)->ended)
                return at;
            running = at;
        }
    return running;
}
/* A child that domain_fork has made, which nobody watches. */
static pid_t wait_for_copy(pid_t pid, int *status, int options)
{
    int ended, result = pid <= 0 || options ? -ESRCH : domain_wait(pid, &ended);
    if (result < 0) {
        errno = options & ~(WNOHANG | WUNTRACED) ? EINVAL : ECHILD;
        return -1;
    }
    if (status)
        *status = status_of(ended);
    return pid;
}
pid_t waitpid(pid_t pid, int *status, int options)
{
    __pebble_forget_others_children();
    pthread_mutex_lock(&lock);
    struct process **at;
    while ((at = find(pid)) && !(*at)->ended && !(options & WNOHANG))
        pthread_cond_wait(&changed, &lock);
    if (!at) {
        pthread_mutex_unlock(&lock);
        return wait_for_copy(pid, status, options);
    }
    struct process *child = *at;
    pid_t result = 0;
    if (child->ended) {
        *at = child->next;
        result = child->pid;
        if (status)
            *status = child->status;
        free(child);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}
pid_t wait4(pid_t pid, int *status, int options, struct rusage *used)
{
    pid_t child = waitpid(pid, status, options);
    if (child > 0 && used)
        memset(used, 0, sizeof *used);
    return child;
}
pid_t wait3(int *status, int options, struct rusage *used)
{
    return wait4(-1, status, options, used);
}
