// expect stdout renamed: new text
// expect stdout replaced: new text
// expect stdout old name: No such file or directory
// expect stdout open all along: new text, and more
// expect stdout a directory with its file: new text, and more
// expect stdout removed both
#include <pebble.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char *text_of(const char *path)
{
    static char text[64];
    int fd = open(path, O_RDONLY);
    memset(text, 0, sizeof text);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
        return strerror(errno);
    close(fd);
    return text;
}
int main(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);
    write(fd, "new text", 8);
    close(open("c", O_RDWR | O_CREAT, 0644));
    rename("a", "b");
    printf("renamed: %s\n", text_of("b"));
    rename("b", "c");
    printf("replaced: %s\n", text_of("c"));
    printf("old name: %s\n", text_of("b"));
    write(fd, ", and more", 10);
    printf("open all along: %s\n", text_of("c"));
    mkdir("d", 0755);
    rename("c", "d/c");
    rename("d", "e");
    printf("a directory with its file: %s\n", text_of("e/c"));
    if (remove("e/c") == 0 && remove("e") == 0)
        printf("removed both\n");
    return 0;
}
