// expect stdout a file of 10 bytes, by name and by descriptor
// expect stdout a directory
// expect stdout the root is a directory
// expect stdout a pipe with 3 bytes
// expect stdout the console
// expect stdout terminals:
// expect stdout may be read and written, not executed
#include <pebble.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status, same;
    int p[2], fd = open("a", O_RDWR | O_CREAT, 0644);
    write(fd, "0123456789", 10);
    if (stat("a", &status) == 0 && fstat(fd, &same) == 0 && S_ISREG(status.st_mode) && status.st_ino == same.st_ino)
        printf("a file of %d bytes, by name and by descriptor\n", (int)same.st_size);
    mkdir("d", 0755);
    if (stat("d", &status) == 0 && S_ISDIR(status.st_mode))
        printf("a directory\n");
    if (stat("/", &status) == 0 && S_ISDIR(status.st_mode))
        printf("the root is a directory\n");
    pipe(p);
    write(p[1], "abc", 3);
    if (fstat(p[0], &status) == 0 && S_ISFIFO(status.st_mode))
        printf("a pipe with %d bytes\n", (int)status.st_size);
    if (fstat(1, &status) == 0 && S_ISCHR(status.st_mode))
        printf("the console\n");
    printf("terminals:");
    for (int n = 0; n <= p[1]; n++)
        if (isatty(n))
            printf(" %d", n);
    printf("\n");
    if (access("a", F_OK) == 0 && access("a", R_OK | W_OK) == 0 && access("a", X_OK) < 0 && errno == EACCES &&
        access("d", X_OK) == 0)
        printf("may be read and written, not executed\n");
    return 0;
}
