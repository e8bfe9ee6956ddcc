// expect stdout one position: defghi
// expect stdout to the file
// expect stdout and back
/* A duplicate, and the child of a fork, share the position. Standard output can be put into a file. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    char text[16] = {0};
    int fd = open("a", O_RDWR | O_CREAT, 0644), status;
    write(fd, "abcdefghijkl", 12);
    lseek(fd, 0, SEEK_SET);
    int copy = dup(fd);
    read(copy, text, 3);
    close(copy);
    int child = domain_fork(NULL);
    if (child == 0) {
        read(fd, text, 3);
        _Exit(text[0]);
    }
    domain_wait(child, &status);
    text[0] = status;
    text[1] = 'e', text[2] = 'f';
    read(fd, text + 3, 3);
    printf("one position: %s\n", text);
    close(fd);
    int file = open("out", O_RDWR | O_CREAT, 0644);
    int console = dup(1);
    dup2(file, 1);
    printf("to the file\n");
    fflush(stdout);
    dup2(console, 1);
    close(console);
    lseek(file, 0, SEEK_SET);
    memset(text, 0, sizeof text);
    read(file, text, 12);
    printf("%sand back\n", text);
    return 0;
}
