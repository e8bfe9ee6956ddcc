/* A component that may have a part of the disk, with a child, fills it: "fill", then, after a reboot, "full", then "free". */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char block[65536];

static int failed(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    return 1;
}
/* Makes a file of so many blocks; whether EDQUOT ended it. */
static int fill(const char *path, int blocks)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0)
        return failed(path);
    ssize_t written = 1;
    while (blocks-- > 0 && written > 0)
        written = write(file, block, sizeof block);
    int refused = written < 0 && errno == EDQUOT;
    return fsync(file) == 0 && close(file) == 0 ? refused : failed("fsync");
}
/* Writes at a place of an open file; the result of write. */
static ssize_t put(int file, const char *text, long at)
{
    return lseek(file, at, SEEK_SET) == at ? write(file, text, strlen(text)) : 0;
}
/* Nothing more goes, in whatever way, and what is there can be written. */
static int full(void)
{
    /* The part is of what was free when the disk was mounted, to the page: one more may have come. */
    if (fill("/disk/own", 2) != 1)
        return failed("the part is another one");
    if (open("/disk/another", O_WRONLY | O_CREAT, 0666) >= 0 || errno != EDQUOT)
        return failed("another file");
    if (mkdir("/disk/directory", 0777) == 0 || errno != EDQUOT)
        return failed("a directory");
    int file = open("/disk/own", O_RDWR);
    if (file < 0 || put(file, "again", 100000) != 5 || fsync(file) < 0)
        return failed("what has its place");
    if (ftruncate(file, 1 << 30) < 0 || put(file, "x", 1 << 29) >= 0 || errno != EDQUOT)
        return failed("a hole");
    return close(file);
}
static int free_all(void)
{
    if (unlink("/disk/own") < 0 || unlink("/disk/child") < 0)
        return failed("unlink");
    int file = open("/disk/another", O_WRONLY | O_CREAT, 0666);
    if (file < 0 || write(file, block, sizeof block) != sizeof block || close(file) < 0)
        return failed("there is room again");
    return 0;
}
int main(int argc, char **argv)
{
    const char *step = argc > 1 ? argv[1] : "";
    if (strcmp(step, "free") == 0)
        return free_all();
    if (strcmp(step, "full") == 0)
        return full();
    int child = domain_fork(0), status;
    if (child == 0)
        return fill("/disk/child", 20);
    if (child < 0 || domain_wait(child, &status) < 0 || status != 0)
        return failed("a child");
    return fill("/disk/own", 10000) == 1 ? 0 : failed("the limit");
}
