// stdin one line that is longer than what getline starts with, so that it grows: 0123456789 0123456789 0123456789 0123456789 0123456789
// expect stdout 128
// expect stdout /work/sub
// expect stdout all right
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
    char *line = NULL, text[64];
    size_t size = 0;
    printf("%zd\n", getline(&line, &size, stdin));
    if (getline(&line, &size, stdin) != -1 || !feof(stdin))
        return 1;
    free(line);
    /* Where relative paths begin. */
    if (!getcwd(text, sizeof text) || strcmp(text, "/") || mkdir("work", 0777) < 0 || chdir("work") < 0 || mkdir("sub", 0777) < 0)
        return 2;
    if (chdir("sub") < 0 || chdir("none") == 0 || errno != ENOENT)
        return 3;
    printf("%s\n", getcwd(text, sizeof text));
    if (getcwd(text, 4) || errno != ERANGE)
        return 4;
    int fd = open("file", O_CREAT | O_RDWR, 0666);
    struct iovec out[2] = {{"ab", 2}, {"cde", 3}};
    if (fd < 0 || writev(fd, out, 2) != 5 || fsync(fd) < 0 || lseek(fd, 0, SEEK_SET) != 0)
        return 5;
    char one[3] = "", two[4] = "";
    struct iovec in[2] = {{one, 2}, {two, 3}};
    if (readv(fd, in, 2) != 5 || strcmp(one, "ab") || strcmp(two, "cde") || readv(fd, in, 2) != 0)
        return 6;
    int copy = fcntl(fd, F_DUPFD, 0);
    if (copy < 0 || copy == fd || fcntl(fd, F_GETFD) != FD_CLOEXEC || fcntl(99, F_GETFD) != -1 || errno != EBADF)
        return 7;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != -1 || errno != ENOTSUP)
        return 8;
    close(copy);
    close(fd);
    struct stat status;
    if (chdir("/") < 0 || stat("work/sub/file", &status) < 0 || status.st_size != 5)
        return 9;
    /* What goes nowhere. */
    int none = open("/dev/null", O_RDWR);
    if (none < 0 || write(none, text, 64) != 64 || read(none, text, 64) != 0 || isatty(none) || lseek(none, 9, SEEK_SET) != 0)
        return 10;
    FILE *null = fopen("/dev/null", "w");
    if (!null || fprintf(null, "%064d", 1) != 64 || fclose(null) != 0)
        return 11;
    int out_before = dup2(none, 2);
    fprintf(stderr, "nobody sees this\n");
    if (out_before != 2 || close(2) < 0 || close(none) < 0 || fsync(1) < 0)
        return 12;
    /* Memory of one's own. */
    char *page = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || (unsigned long)page % 4096 || page[9999])
        return 13;
    memset(page, 1, 10000);
    if (munmap(page, 4096) != -1 || errno != EINVAL || munmap(page, 10000) < 0 || munmap(page, 10000) != -1)
        return 14;
    if (mmap(NULL, 1, PROT_READ, MAP_PRIVATE, 1, 0) != MAP_FAILED || errno != ENODEV)
        return 15;
    printf("all right\n");
    return 0;
}
