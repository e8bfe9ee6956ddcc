// expect stdout written 6
// expect stdout read 5: world
// expect stdout at the end 0
// expect stdout line hello
// expect stdout line world
// expect stdout both 12
// expect stdout appended 15
// expect stdout gone: No such file or directory
#include <pebble.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char text[64] = {0};
    mkdir("notes", 0755);
    int fd = open("notes/a.txt", O_RDWR | O_CREAT, 0644);
    printf("written %d\n", (int)write(fd, "hello\n", 6));
    write(fd, "world\n", 6);
    lseek(fd, 6, SEEK_SET);
    int count = read(fd, text, 5);
    printf("read %d: %s\n", count, text);
    lseek(fd, 0, SEEK_END);
    printf("at the end %d\n", (int)read(fd, text, 5));
    FILE *file = fopen("notes/a.txt", "r");
    while (fgets(text, sizeof text, file))
        printf("line %s", text);
    fclose(file);
    printf("both %d\n", (int)lseek(fd, 0, SEEK_END));
    file = fopen("notes/a.txt", "a");
    fputs("end", file);
    fclose(file);
    printf("appended %d\n", (int)lseek(fd, 0, SEEK_END));
    close(fd);
    unlink("notes/a.txt");
    if (open("notes/a.txt", O_RDONLY) < 0)
        printf("gone: %s\n", strerror(errno));
    return 0;
}
