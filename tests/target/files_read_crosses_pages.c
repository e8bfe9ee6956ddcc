// expect stdout of a file: 5000 of 5000
// expect stdout of a pipe: 4096 of 8192
/* One read of a file fills the buffer, wherever it lies; one of a pipe does not wait for more than there is, even where that
   is a whole page. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

static char pages[12288] __attribute__((aligned(4096)));

int main(void)
{
    int p[2], fd = open("a", O_RDWR | O_CREAT, 0644);
    write(fd, pages, 5000);
    lseek(fd, 0, SEEK_SET);
    printf("of a file: %d of 5000\n", (int)read(fd, pages + 4000, 5000));
    pipe(p);
    write(p[1], pages, 4096);
    printf("of a pipe: %d of 8192\n", (int)read(p[0], pages, 8192));
    return 0;
}
