/* Random bytes, from the source that the machine has. */
#include "files.h"
#include <unistd.h>

/* POSIX's limit of one call. */
#define MOST 256

static int entropy_read;
/* Counts what was given where there is no source. */
static uint64_t given;

/* EIO: there is no source, or the manifest does not let this component have it. */
int getentropy(void *buffer, size_t count)
{
    char *to = buffer;
    int has = count <= MOST;
    while (has && count > 0) {
        size_t room = PAGE - (uintptr_t)to % PAGE, here = count < room ? count : room;
        word done = CALLED(entropy_read, PEBBLE_ENTROPY_READ, through, pebble_entropy_read(through, to, here));
        has = done > 0;
        to += has ? done : 0;
        count -= has ? done : 0;
    }
    return has ? 0 : __pebble_failed(-EIO);
}
/* Where there is no source: what differs from call to call and from program to program, but is no secret. */
static uint64_t unlike_others(void)
{
    uint64_t mixed = hrtime() + (uint64_t)get_asid() * 0x9e3779b97f4a7c15u + __atomic_add_fetch(&given, 0xd1b54a32d192ed03u, __ATOMIC_RELAXED);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}
void arc4random_buf(void *buffer, size_t count)
{
    char *to = buffer;
    while (count > 0) {
        size_t here = count < MOST ? count : MOST;
        int error = errno;
        if (getentropy(to, here) < 0) {
            errno = error;
            for (size_t n = 0; n < here; n++)
                to[n] = unlike_others();
        }
        to += here;
        count -= here;
    }
}
uint32_t arc4random(void)
{
    uint32_t random;
    arc4random_buf(&random, sizeof random);
    return random;
}
uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t least = bound > 1 ? -bound % bound : 0, random;
    while ((random = arc4random()) < least)
        ;
    return bound > 1 ? random % bound : 0;
}
