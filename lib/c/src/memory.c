/* Pages from the memory manager, which follow each other: for the heap, and for who asks for bytes by sbrk. */
#include "system.h"
#include <unistd.h>

static char *end, *mapped;

/* The heap's pages, for lib/c/heap. Between them may lie what sbrk has given out. */
word __pebble_grow(size_t pages)
{
    return pebble_memory_grow(pages);
}
void *sbrk(ptrdiff_t increment)
{
    if (!end) {
        word start = pebble_memory_grow(0l);
        if (start < 0)
            goto none;
        end = mapped = (char *)start;
    }
    if (increment > mapped - end) {
        size_t pages = (increment - (mapped - end) + PAGE - 1) / PAGE;
        if (pebble_memory_grow(pages) < 0)
            goto none;
        mapped += pages * PAGE;
    }
    char *old = end;
    end += increment;
    return old;
none:
    errno = ENOMEM;
    return (void *)-1;
}
