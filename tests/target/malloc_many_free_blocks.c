// expect stdout all right
// icount
// timeout 60
/* Taking memory does not take longer where many blocks are free: blocks are taken, every other one freed, and as many of twice the
   size taken. */
#include <errno.h>
#include <malloc.h>
#include <pebble.h>
#include <stdint.h>

enum { BLOCKS = 20000 };
static char *blocks[BLOCKS];

int main(void)
{
    unsigned long long start = hrtime();
    for (int n = 0; n < BLOCKS; n++) {
        if (!(blocks[n] = malloc(48)) || (uintptr_t)blocks[n] % 16)
            return 1;
        memset(blocks[n], n, 48);
    }
    unsigned long long taken = hrtime() - start;
    for (int n = 0; n < BLOCKS; n += 2)
        free(blocks[n]);
    start = hrtime();
    for (int n = 0; n < BLOCKS; n += 2)
        if (!(blocks[n] = malloc(96)))
            return 2;
    unsigned long long again = hrtime() - start;
    for (int n = 1; n < BLOCKS; n += 2)
        for (int byte = 0; byte < 48; byte++)
            if (blocks[n][byte] != (char)n)
                return 3;
    /* The first touch of pages is in both. */
    if (again > 4 * taken) {
        printf("%llu ticks, then %llu\n", taken, again);
        return 4;
    }
    /* What the others do. */
    char *zeros = calloc(100, 100), *aligned = aligned_alloc(4096, 10), *moved;
    void *more;
    for (int byte = 0; byte < 10000; byte++)
        if (zeros[byte])
            return 5;
    if ((uintptr_t)aligned % 4096 || posix_memalign(&more, 3, 1) != EINVAL || posix_memalign(&more, 64, 1) || (uintptr_t)more % 64)
        return 6;
    memset(zeros, 7, 10000);
    if (!(moved = realloc(zeros, 100000)) || moved[0] != 7 || moved[9999] != 7 || !(moved = realloc(moved, 10)) || moved[9] != 7)
        return 7;
    volatile size_t huge = SIZE_MAX / 2;
    errno = 0;
    if (malloc(huge + 2) || errno != ENOMEM || calloc(huge, 4) || realloc(moved, huge) || moved[9] != 7)
        return 8;
    free(moved);
    free(aligned);
    free(more);
    free(NULL);
    printf("all right\n");
    return 0;
}
