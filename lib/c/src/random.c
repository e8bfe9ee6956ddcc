/* Random bytes, from the source that the machine has. */
#include "files.h"
#include <unistd.h>

/* POSIX's limit of one call. */
#define MOST 256

static int entropy_read;

/* EIO: there is no source, or the manifest does not let this component have it. */
int getentropy(void *buffer, size_t count)
{
    int portal = count > MOST ? -EIO : __pebble_opened(&entropy_read, PEBBLE_ENTROPY_READ);
    char *to = buffer;
    while (portal >= 0 && count > 0) {
        size_t room = PAGE - (uintptr_t)to % PAGE, here = count < room ? count : room;
        word done = pebble_entropy_read(portal, to, here);
        if (done <= 0)
            portal = -EIO;
        to += done;
        count -= done;
    }
    return portal < 0 ? __pebble_failed(-EIO) : 0;
}
