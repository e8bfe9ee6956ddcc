/* Mappings: anonymous ones, from the heap. */
#include "file_mappings.h"
#include <pthread.h>
#include <sys/mman.h>

/* What there is, so that no part of a mapping is given back. */
static struct mapping {
    struct mapping *next;
    void *start;
    size_t bytes;
} *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *mmap(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    (void)hint;
    size_t whole = (bytes + PAGE - 1) & -PAGE;
    int error = bytes == 0 || whole < bytes                                 ? EINVAL
                : flags & (MAP_SHARED | MAP_FIXED) || protection & PROT_EXEC ? ENOTSUP
                                                                            : 0;
    if (error) {
        errno = error;
        return MAP_FAILED;
    }
    if (!(flags & MAP_ANONYMOUS)) {
        void *start = __pebble_map_file(whole, protection, fd, offset);
        return start ? start : MAP_FAILED;
    }
    struct mapping *mapping = malloc(sizeof *mapping);
    void *start = mapping ? aligned_alloc(PAGE, whole) : NULL;
    if (!start) {
        free(mapping);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    memset(start, 0, whole);
    pthread_mutex_lock(&lock);
    *mapping = (struct mapping){mappings, start, whole};
    mappings = mapping;
    pthread_mutex_unlock(&lock);
    return start;
}
int munmap(void *start, size_t bytes)
{
    size_t whole = (bytes + PAGE - 1) & -PAGE;
    struct mapping *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct mapping **m = &mappings; *m; m = &(*m)->next)
        if ((*m)->start == start && (*m)->bytes == whole) {
            found = *m;
            *m = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (!found) {
        int result = __pebble_unmap_file(start, whole);
        errno = result > 0 ? errno : result < 0 ? -result : EINVAL;
        return result > 0 ? 0 : -1;
    }
    free(found->start);
    free(found);
    return 0;
}
