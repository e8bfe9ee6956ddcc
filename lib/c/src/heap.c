/* malloc and its kin on Doug Lea's allocator (lib/c/heap), whose time does not grow with the number of free blocks. The C library's
   own searches a list of them. */
#include "system.h"
#include <malloc.h>
#include <sys/lock.h>

void *__pebble_allocate(size_t bytes, size_t alignment);
void *__pebble_allocate_zeros(size_t bytes);
void *__pebble_reallocate(void *block, size_t old, size_t bytes);
void __pebble_release(void *block, size_t bytes);

/* Lies below what malloc returns: the allocator wants to be told what it gave. */
struct header {
    void *start;
    size_t bytes;
};
#define ROOM sizeof(struct header)

extern struct __lock __lock___libc_recursive_mutex;

static void acquire(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
}
static void release(void)
{
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
/* Makes a block of the allocator's the caller's, `room` bytes behind its start. */
static void *give(char *start, size_t room, size_t bytes)
{
    if (!start) {
        errno = ENOMEM;
        return NULL;
    }
    ((struct header *)(start + room))[-1] = (struct header){start, room + bytes};
    return start + room;
}
/* Of `alignment`, a power of two. */
static void *aligned(size_t alignment, size_t bytes)
{
    size_t room = alignment > ROOM ? alignment : ROOM;
    char *start = NULL;
    if (bytes <= PTRDIFF_MAX / 2 && room <= PTRDIFF_MAX / 2) {
        acquire();
        start = __pebble_allocate(room + bytes, alignment);
        release();
    }
    return give(start, room, bytes);
}
void *malloc(size_t bytes)
{
    return aligned(1, bytes);
}
void *calloc(size_t count, size_t size)
{
    size_t bytes;
    char *start = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= PTRDIFF_MAX / 2) {
        acquire();
        start = __pebble_allocate_zeros(ROOM + bytes);
        release();
    }
    return give(start, ROOM, bytes);
}
void free(void *block)
{
    if (!block)
        return;
    struct header header = ((struct header *)block)[-1];
    acquire();
    __pebble_release(header.start, header.bytes);
    release();
}
void *realloc(void *block, size_t bytes)
{
    if (!block)
        return malloc(bytes);
    struct header header = ((struct header *)block)[-1];
    size_t room = (char *)block - (char *)header.start, before = header.bytes - room;
    if (room == ROOM) {
        char *start = NULL;
        if (bytes <= PTRDIFF_MAX / 2) {
            acquire();
            start = __pebble_reallocate(header.start, header.bytes, ROOM + bytes);
            release();
        }
        return give(start, ROOM, bytes);
    }
    /* One with an alignment of its own has no more of it. */
    void *moved = malloc(bytes);
    if (moved) {
        memcpy(moved, block, before < bytes ? before : bytes);
        free(block);
    }
    return moved;
}
size_t malloc_usable_size(void *block)
{
    struct header *header = (struct header *)block - 1;
    return block ? header->bytes - ((char *)block - (char *)header->start) : 0;
}
void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    return realloc(block, __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
}
static int power_of_two(size_t n)
{
    return n && !(n & (n - 1));
}
void *memalign(size_t alignment, size_t bytes)
{
    if (power_of_two(alignment))
        return aligned(alignment, bytes);
    errno = EINVAL;
    return NULL;
}
void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}
int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (!power_of_two(alignment) || alignment % sizeof(void *))
        return EINVAL;
    int before = errno;
    void *made = aligned(alignment, bytes);
    errno = before;
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}
void *valloc(size_t bytes)
{
    return aligned(PAGE, bytes);
}
