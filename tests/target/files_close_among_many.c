// icount
// expect stdout a close looks at what is closed
/* Closing one of many descriptors. Looking at all for each portal that goes takes some five hundred times as long. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

static unsigned long long closing(void)
{
    int fd = open("a", O_RDONLY | O_CREAT, 0644);
    unsigned long long start = hrtime();
    close(fd);
    return hrtime() - start;
}
int main(void)
{
    unsigned long long few = closing(), many;
    for (int i = 0; i < 100; i++)
        open("a", O_RDONLY);
    many = closing();
    if (many < 20 * few)
        printf("a close looks at what is closed\n");
    else
        printf("a close takes %llu ticks, and %llu among 100\n", few, many);
    return 0;
}
