/* Random bytes, from the source that the machine has. */
#include "random.h"
#include "files.h"
#include <unistd.h>

/* POSIX's limit of one call. */
#define MOST 256

static int entropy_read;
/* Counts what was given where there is no source. */
static uint64_t given;

/* Fills `to` from the source, if there is one; `waits`: also if it is not there yet. */
static int from_source(char *to, size_t count, int waits)
{
    while (count > 0) {
        if (!waits && __pebble_opened(&entropy_read, PEBBLE_ENTROPY_READ) < 0)
            return 0;
        size_t room = PAGE - (uintptr_t)to % PAGE, here = count < room ? count : room;
        word done = CALLED(entropy_read, PEBBLE_ENTROPY_READ, through, pebble_entropy_read(through, to, here));
        if (done <= 0)
            return 0;
        to += done;
        count -= done;
    }
    return 1;
}
/* EIO: there is no source, or the manifest does not let this component have it. */
int getentropy(void *buffer, size_t count)
{
    return count <= MOST && from_source(buffer, count, 1) ? 0 : __pebble_failed(-EIO);
}
/* Where there is no source: what differs from call to call and from program to program, but is no secret. */
static uint64_t unlike_others(void)
{
    uint64_t mixed = hrtime() + (uint64_t)get_asid() * 0x9e3779b97f4a7c15u + __atomic_add_fetch(&given, 0xd1b54a32d192ed03u, __ATOMIC_RELAXED);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}
static void fill(char *to, size_t count, int waits)
{
    if (!from_source(to, count, waits))
        while (count-- > 0)
            *to++ = unlike_others();
}
void arc4random_buf(void *buffer, size_t count)
{
    fill(buffer, count, 1);
}
uint64_t __pebble_unlike_others(void)
{
    uint64_t drawn;
    fill((char *)&drawn, sizeof drawn, 0);
    return drawn;
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
