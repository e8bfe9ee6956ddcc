/* While one of five allocations of init fails: servers that go wrong are started again, all of them, and whoever is to be started is, or ENOMEM says
   that nothing has happened. */
#include <errno.h>
#include <pebble.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { VICTIMS = 4, LIVES = 4, STARTS = 40, WANTED = 20, ATTEMPTS = 500 };
static char name[VICTIMS][64] __attribute__((aligned(64)));

static int opened(const char *portal_name)
{
    int portal;
    while ((portal = portal_open(portal_name)) == -ENOENT)
        hrsleep(1000000);
    return portal;
}
static void wrong(const char *what, long value)
{
    printf("%s: %ld\n", what, value);
    exit(1);
}
static void end_all(void)
{
    for (int n = 0; n < VICTIMS; n++) {
        int portal = opened(name[n]);
        word first = invoke_portal(portal, 0l), last = invoke_portal(portal, 1l);
        if (first != 1 || last != -EDEAD)
            wrong("a server that was started again", first == 1 ? last : first);
        portal_close(portal);
    }
}
/* How often there was no memory to start a component; its status is looked at. */
static int start(void)
{
    static char *const words[] = {"started", "some", "7", NULL};
    for (int refused = 0; refused < ATTEMPTS; refused++) {
        pid_t pid;
        int error = posix_spawn(&pid, "started", NULL, NULL, words, NULL), status;
        if (error == ENOMEM)
            continue;
        if (error || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
            wrong("a component was not started", error);
        return refused;
    }
    wrong("there is no memory any more", ATTEMPTS);
    return 0;
}
int main(void)
{
    int refused = 0;
    for (int n = 0; n < VICTIMS; n++)
        sprintf(name[n], "victim.%d", n);
    for (int n = 0; n < LIVES; n++)
        end_all();
    for (int n = 0; n < STARTS; n++)
        refused += start();
    for (int n = 0; n < VICTIMS; n++)
        if (invoke_portal(opened(name[n]), 0l) != 1)
            wrong("a server was not started again", n);
    printf("%d times there was no memory%s\n", refused, refused < WANTED ? ", which is seldom" : "");
    return refused < WANTED;
}
