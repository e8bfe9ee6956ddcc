// expect stdout all right
// timeout 60
/* A thousand mappings one after the other leave nothing behind; more than the limit of files allows at a time are an error; and of a file that
   becomes shorter, what is gone ends who touches it and nobody else. */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define ROUNDS 1000
#define MOST 600 /* more than the limit */

static volatile char *mapped(int file)
{
    return mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
}
/* How a copy ends that touches a page. */
static int touched(volatile char *page)
{
    int status = 0, child = domain_fork(NULL);
    if (child == 0)
        exit(*page == 'x' ? 7 : 8);
    return child < 0 || domain_wait(child, &status) < 0 ? 9 : status;
}
int main(void)
{
    int file = open("data", O_RDWR | O_CREAT, 0644);
    if (file < 0 || pwrite(file, "x", 1, PAGE) != 1)
        return 1;
    for (int n = 0; n < ROUNDS; n++) {
        volatile char *page = mapped(file);
        if (page == MAP_FAILED || page[0] != 0 || page[PAGE] != 'x')
            return printf("round %d: %s\n", n, strerror(errno)), 2;
        page[PAGE] = 'y';
        if (munmap((void *)page, 2 * PAGE) < 0)
            return 3;
    }
    volatile char *all[MOST], *first = mapped(file);
    int count = 0;
    while (count < MOST && (all[count] = mapped(file)) != MAP_FAILED)
        count++;
    if (count == MOST || (errno != ENFILE && errno != EMFILE))
        return printf("%d at a time: %s\n", count, strerror(errno)), 4;
    if (first[PAGE] != 'x' || all[count - 1][PAGE] != 'x')
        return 5;
    while (count > 0)
        if (munmap((void *)all[--count], 2 * PAGE) < 0)
            return 6;
    volatile char *second = mapped(file);
    if (second == MAP_FAILED || touched(second + PAGE) != 7 || ftruncate(file, 0) < 0)
        return 7;
    if (touched(second + PAGE) >= 0 || touched(first + PAGE) != 7)
        return 8;
    printf("all right\n");
    return 0;
}
