/* A server goes wrong in each of its lives, in a call; who called goes on, has it started again, and finds it as new. Nothing is left of the dead
   ones. How it is kept apart is the system's to say. */
#include <pebble.h>

enum { LIVES = 1000 };
static _Alignas(64) char name[64] = "starts_again";

static int opened(const char *portal_name)
{
    int portal;
    while ((portal = portal_open(portal_name)) == -ENOENT)
        hrsleep(50000);
    return portal;
}
static int one_life(int spawn, int way)
{
    int asid = invoke_portal(spawn, name, (word)strlen(name));
    if (asid < 0)
        return printf("it could not be started: %s\n", pebble_strerror(asid)), 0;
    int portal = opened("again.count");
    word first = invoke_portal(portal, 0l), last = invoke_portal(portal, (word)way), dead = invoke_portal(portal, 0l);
    portal_close(portal);
    if (first != 1 || last != -EDEAD || dead != -EDEAD)
        return printf("%d: %ld, %ld, %ld\n", way, first, last, dead), 0;
    return 1;
}
int main(void)
{
    int spawn = portal_open("init.spawn"), add = opened("server.add"), ended = 0, answered = 0;
    for (int n = 0; n < LIVES; n++) {
        ended += one_life(spawn, 1 + n % 4);
        answered += invoke_portal(add, (word)n, 1l) == n + 1;
        if (ended != n + 1)
            break;
    }
    printf("ended %d times, and its neighbour answered %d times\n", ended, answered);
    return 0;
}
