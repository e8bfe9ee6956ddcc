// expect stdout all right
// timeout 60
/* A file that is longer than the memory that its reader may have: pages that were only read go when there is no room for others, and come
   back; those that were written stay. */
#include <fcntl.h>
#include <pebble.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 600
#define LEFT  100 /* pages that the program may still have when it begins */
#define NTH   40  /* one of so many pages is written */

static unsigned char page[PAGE];

static long word_of(int number, int at)
{
    return number * 1000003l + at;
}
static int filled(void)
{
    int file = open("long", O_RDWR | O_CREAT, 0644);
    for (int number = 0; number < PAGES; number++) {
        for (int at = 0; at < PAGE / 8; at++)
            ((long *)page)[at] = word_of(number, at);
        if (file < 0 || write(file, page, PAGE) != PAGE)
            return -1;
    }
    return file;
}
/* All memory is taken but for LEFT pages. */
static int memory_is_short(void)
{
    char *spare = aligned_alloc(PAGE, LEFT * PAGE);
    for (size_t bytes = 16 << 20; bytes >= 64; bytes /= 2)
        while (malloc(bytes))
            ;
    for (int n = 0; n < LEFT; n++)
        if (!spare || page_unmap(get_asid(), spare + n * PAGE) < 0)
            return -1;
    return 0;
}
int main(void)
{
    int file = filled();
    long *words = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (file < 0 || words == MAP_FAILED || memory_is_short() < 0)
        return 1;
    for (int round = 0; round < 3; round++)
        for (int number = 0; number < PAGES; number++) {
            long *first = words + number * (PAGE / 8);
            int written = round > 0 && number % NTH == 0;
            if (first[0] != word_of(number, 0) + written || first[511] != word_of(number, 511))
                return printf("page %d, round %d\n", number, round), 2;
            if (round == 0 && number % NTH == 0)
                first[0]++;
        }
    printf("all right\n");
    return 0;
}
