// expect stdout 100000 bytes are what they were
/* Reads and writes that cross pages, at addresses that are not aligned. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

static char out[100100], in[100100];

int main(void)
{
    for (int i = 0; i < 100000; i++)
        out[i + 33] = i * 7 + i / 251;
    int fd = open("large", O_RDWR | O_CREAT, 0644), count = 0;
    if (write(fd, out + 33, 100000) != 100000)
        return 1;
    lseek(fd, 0, SEEK_SET);
    for (int n; count < 100000 && (n = read(fd, in + 71 + count, 100000 - count)) > 0;)
        count += n;
    printf("%d bytes are %s\n", count, memcmp(in + 71, out + 33, 100000) == 0 ? "what they were" : "others");
    return 0;
}
