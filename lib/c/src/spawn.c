/* Starting programs: a component of the system, by the last part of its path, in a domain of its own. init loads it, the streams that
   are handed over follow, and then it runs. */
#include "processes.h"
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

/* What init.load takes: the strings follow the head. */
struct request {
    struct load head;
    char strings[PAGE - sizeof(struct load)];
} __attribute__((aligned(4096)));

static int init_load, init_start, domain_destroy;

/* Puts strings into the request; where they end, or NULL: there is no room. */
static char *put(struct request *request, char *at, char *const *strings)
{
    for (; at && *strings; strings++) {
        size_t bytes = strlen(*strings) + 1, room = request->strings + sizeof request->strings - at;
        if (bytes > room)
            return NULL;
        at = (char *)memcpy(at, *strings, bytes) + bytes;
    }
    return at;
}
/* A descriptor for a stream of a program that starts, of its own: it is there until the program has it, and until it has ended.
   -1: the console. Nothing swallows what is written and can be handed over; what nobody writes to is read, and a stream that is closed is one whose
   other side is. */
static int copy(int stream, int fd)
{
    int sides[2];
    int file = __pebble_behind(fd);
    if (__pebble_is_console(file))
        return -1;
    if (file != NOWHERE && file != CLOSED) {
        int made = dup(fd);
        return made < 0 ? -errno : made;
    }
    if (stream != 0 && file == NOWHERE)
        return -ENOTSUP;
    if (pipe(sides) < 0)
        return -errno;
    close(sides[stream == 0]);
    return sides[stream != 0];
}
static int hand_over(word domain, const int streams[3])
{
    for (int n = 0; n < 3; n++) {
        struct hand hand = {domain, n};
        word result = streams[n] >= 0 ? invoke_portal(__pebble_behind(streams[n]) + PORTAL_CONTROL, (word)CONTROL_HAND, &hand) : 0;
        if (result < 0)
            return result;
    }
    return 0;
}
/* The identity of what was loaded, which is its number in the lowest 16 bits; or an error. */
static word load(const char *path, char *const *arguments, char *const *variables, const int streams[3])
{
    struct request *request = aligned_alloc(PAGE, sizeof *request);
    if (!request)
        return -ENOMEM;
    const char *slash = strrchr(path, '/');
    char *name[] = {(char *)(slash ? slash + 1 : path), NULL};
    char *at = put(request, request->strings, name);
    request->head.words = 1;
    request->head.inherited = 0;
    char *const *rest = arguments && arguments[0] ? arguments + 1 : name + 1;
    for (char *const *word = rest; *word; word++)
        request->head.words++;
    at = put(request, at, rest);
    char *const none[] = {NULL};
    at = put(request, at, variables ? variables : none);
    for (int n = 0; n < 3; n++)
        request->head.inherited |= (uint64_t)(streams[n] >= 0) << n;
    word result = at ? __pebble_opened(&init_load, PEBBLE_INIT_LOAD) : -E2BIG;
    if (result >= 0)
        result = pebble_init_load(init_load, request, at - (char *)request);
    free(request);
    return result;
}
int __pebble_start_component(const char *path, char *const *arguments, char *const *variables, int streams[3])
{
    int result = __pebble_opened(&init_start, PEBBLE_INIT_START);
    /* With it, this domain may wait for what init has started for it. */
    if (result >= 0)
        result = __pebble_opened(&domain_destroy, PEBBLE_DOMAIN_DESTROY);
    for (int n = 0; n < 3; n++) {
        streams[n] = result < 0 ? -1 : copy(n, streams[n]);
        if (streams[n] < -1)
            result = streams[n];
    }
    word loaded = result < 0 ? result : load(path, arguments, variables, streams);
    int domain = loaded < 0 ? (int)loaded : (int)(loaded & 0xffff);
    if (loaded > 0) {
        result = hand_over(loaded, streams);
        if (result >= 0)
            result = pebble_init_start(init_start, loaded);
        if (result < 0) {
            pebble_domain_destroy(domain_destroy, loaded);
            domain = result;
        }
    }
    if (domain < 0)
        __pebble_close_streams(streams);
    return domain;
}
void __pebble_close_streams(const int streams[3])
{
    for (int n = 0; n < 3; n++)
        if (streams[n] >= 0)
            close(streams[n]);
}

/* What is to be done with the standard streams of a program before it starts. */
struct action {
    struct action *next;
    enum { OPENS, COPIES, CLOSES } what;
    int from, to, flags;
    char path[];
};
struct __posix_spawn_file_actions {
    struct action *first, **last;
};
struct __posix_spawnattr {
    short flags;
};
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
    if (!(*actions = malloc(sizeof **actions)))
        return ENOMEM;
    (*actions)->first = NULL;
    (*actions)->last = &(*actions)->first;
    return 0;
}
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    for (struct action *action = (*actions)->first, *next; action; action = next) {
        next = action->next;
        free(action);
    }
    free(*actions);
    return 0;
}
static int add(posix_spawn_file_actions_t *actions, struct action wanted, const char *path)
{
    struct action *action = malloc(sizeof *action + strlen(path) + 1);
    if (!action)
        return ENOMEM;
    *action = wanted;
    strcpy(action->path, path);
    *(*actions)->last = action;
    (*actions)->last = &action->next;
    return 0;
}
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int to, const char *restrict path, int flags, mode_t mode)
{
    (void)mode;
    return to < 0 || to > 2 ? EBADF : add(actions, (struct action){.what = OPENS, .to = to, .flags = flags}, path);
}
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to)
{
    return from < 0 || to < 0 || to > 2 ? EBADF : add(actions, (struct action){.what = COPIES, .from = from, .to = to}, "");
}
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int fd)
{
    return fd < 0 ? EBADF : add(actions, (struct action){.what = CLOSES, .to = fd}, "");
}
/* Each attribute is what it is: there are no groups, and masks and handlers are nobody else's. */
int posix_spawnattr_init(posix_spawnattr_t *attributes)
{
    return (*attributes = calloc(1, sizeof **attributes)) ? 0 : ENOMEM;
}
int posix_spawnattr_destroy(posix_spawnattr_t *attributes)
{
    free(*attributes);
    return 0;
}
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags)
{
    (*attributes)->flags = flags;
    return 0;
}
int posix_spawnattr_getflags(const posix_spawnattr_t *restrict attributes, short *restrict flags)
{
    *flags = (*attributes)->flags;
    return 0;
}
/* Does what `actions` say with `streams`; `made` has a bit for each that was opened for it. 0 or an error. */
static int act(const posix_spawn_file_actions_t *actions, int streams[3], int opened[], int *made)
{
    for (struct action *action = actions ? (*actions)->first : NULL; action; action = action->next) {
        int fd = -1;
        switch (action->what) {
        case OPENS: fd = opened[(*made)++] = open(action->path, action->flags, 0666); break;
        case COPIES: fd = action->from <= 2 ? streams[action->from] : action->from; break;
        /* All others are this domain's alone; a program without a standard stream reads nothing. */
        case CLOSES:
            if (action->to > 2)
                continue;
            fd = NOWHERE;
        }
        if (fd < 0)
            return errno;
        streams[action->to] = fd;
    }
    return 0;
}
int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[], char *const variables[])
{
    (void)attributes;
    int streams[3] = {0, 1, 2}, count = 0, made = 0;
    for (struct action *action = actions ? (*actions)->first : NULL; action; action = action->next)
        count++;
    int *opened = malloc((count + 1) * sizeof *opened);
    if (!opened)
        return ENOMEM;
    fflush(stdout);
    int error = act(actions, streams, opened, &made);
    int domain = error ? -error : __pebble_start_component(path, arguments, variables, streams);
    while (made--)
        if (opened[made] >= 0)
            close(opened[made]);
    free(opened);
    if (domain < 0)
        return domain == -EACCESS || domain == -EPORTAL ? ENOSYS : -domain;
    /* Where no thread can wait for it, it can only be waited for by its name, and what it was handed may be gone before it has it. */
    if (__pebble_watch(domain, streams) < 0)
        __pebble_close_streams(streams);
    if (pid)
        *pid = domain;
    return 0;
}
/* A name is a path here: all components are in one place. */
int posix_spawnp(pid_t *restrict pid, const char *restrict name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[], char *const variables[])
{
    return posix_spawn(pid, name, actions, attributes, arguments, variables);
}
