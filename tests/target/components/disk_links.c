/* Symbolic links of a disk: those that were there, and one's own. The disk has `file` ("there"), `d/near`, and links: `link` to `file`, `d/up` to `../file`,
   `root` to `/d/near`, `loop` to itself, `dangling` to `made`, `d/out` to `../../../file`, `folder` to `d`, `far` to a directory by a long path;
   and a name with a blank. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: " #what ", errno %d\n", __LINE__, errno), exit(1)))
#define FAILS(what, why) CHECK((what) < 0 && errno == (why))

static int has(const char *path, const char *text)
{
    char bytes[64] = "";
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    ssize_t count = read(fd, bytes, sizeof bytes - 1);
    close(fd);
    return count == (ssize_t)strlen(text) && strcmp(bytes, text) == 0;
}
static int type(const char *name)
{
    DIR *root = opendir("/disk");
    struct dirent *entry;
    int found = -1;
    while ((entry = readdir(root)))
        if (strcmp(entry->d_name, name) == 0)
            found = entry->d_type;
    closedir(root);
    return found;
}
static void of_the_disk(void)
{
    struct stat status;
    char target[PATH_MAX];
    CHECK(has("/disk/link", "there") && has("/disk/d/up", "there") && has("/disk/root", "near"));
    CHECK(stat("/disk/link", &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 5);
    CHECK(lstat("/disk/link", &status) == 0 && S_ISLNK(status.st_mode) && status.st_size == 4);
    CHECK(readlink("/disk/link", target, sizeof target) == 4 && memcmp(target, "file", 4) == 0);
    /* As much as there is room for. */
    CHECK(readlink("/disk/link", target, 2) == 2);
    FAILS(readlink("/disk/link", target, 0), EINVAL);
    CHECK(readlink("/disk/root", target, sizeof target) == 12 && memcmp(target, "/disk/d/near", 12) == 0);
    /* lstat says how much that is. */
    CHECK(lstat("/disk/root", &status) == 0 && status.st_size == 12);
    CHECK(lstat("/disk/d/.", &status) == 0 && S_ISDIR(status.st_mode));
    FAILS(readlink("/disk/file", target, sizeof target), EINVAL);
    FAILS(readlink("/disk/none", target, sizeof target), ENOENT);
    FAILS(open("/disk/loop", O_RDONLY), ELOOP);
    FAILS(stat("/disk/loop", &status), ELOOP);
    FAILS(stat("/disk/dangling", &status), ENOENT);
    CHECK(lstat("/disk/dangling", &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(type("link") == DT_LNK && type("file") == DT_REG && type("d") == DT_DIR && type("two words") == -1);
    CHECK(strcmp(realpath("/disk/d/up", target), "/disk/file") == 0);
    CHECK(strcmp(realpath("/disk/root", target), "/disk/d/near") == 0);
    CHECK(!realpath("/disk/loop", target) && errno == ELOOP);
    /* None leads off the disk, to open and to be told of. */
    CHECK(has("/disk/d/out", "there") && strcmp(realpath("/disk/d/out", target), "/disk/file") == 0);
    /* Where no path of the system reaches, a link would be taken for a name. */
    CHECK(has("/disk/far/file", "far") && !realpath("/disk/far/file", target) && errno == ENAMETOOLONG);
    CHECK(chdir("/disk/folder/") == 0 && strcmp(getcwd(target, sizeof target), "/disk/d") == 0 && has("near", "near"));
    FAILS(open("/disk/link", O_RDONLY | O_NOFOLLOW), ELOOP);
    CHECK(close(open("/disk/file", O_RDONLY | O_NOFOLLOW)) == 0 && close(open("/tmp/x", O_RDWR | O_CREAT | O_NOFOLLOW, 0666)) == 0);
    /* What is written goes where they lead. */
    int fd = open("/disk/dangling", O_WRONLY | O_CREAT, 0666);
    CHECK(fd >= 0 && write(fd, "new", 3) == 3 && close(fd) == 0 && has("/disk/made", "new"));
    FAILS(open("/disk/link", O_WRONLY | O_CREAT | O_EXCL, 0666), EEXIST);
}
static void of_ones_own(void)
{
    char target[PATH_MAX];
    CHECK(chdir("/disk/d") == 0);
    CHECK(symlink("near", "own") == 0 && has("own", "near") && has("/disk/d/own", "near"));
    CHECK(symlink("/disk/file", "far") == 0 && has("far", "there"));
    CHECK(readlink("far", target, sizeof target) == 10 && memcmp(target, "/disk/file", 10) == 0);
    CHECK(strcmp(realpath("own", target), "/disk/d/near") == 0);
    FAILS(symlink("near", "own"), EEXIST);
    FAILS(symlink("/tmp/x", "out"), EPERM);
    FAILS(symlink("near", "/tmp/in"), EPERM);
    FAILS(symlink("", "empty"), ENOENT);
    FAILS(rmdir("own"), ENOTDIR);
    CHECK(rename("own", "moved") == 0 && has("moved", "near"));
    CHECK(unlink("moved") == 0 && unlink("far") == 0 && has("near", "near") && has("/disk/file", "there"));
}
/* A disk has room of its own. */
static void room(void)
{
    struct statvfs disk, memory, later;
    static char page[4096];
    CHECK(statvfs("/disk/link", &disk) == 0 && statvfs("/", &memory) == 0 && disk.f_fsid != memory.f_fsid);
    CHECK(disk.f_blocks <= 8192 && disk.f_blocks > 6000 && disk.f_bfree < disk.f_blocks && disk.f_bfree > 4000);
    int fd = open("/disk/long", O_WRONLY | O_CREAT, 0666);
    for (int n = 0; n < 32; n++)
        CHECK(write(fd, page, sizeof page) == sizeof page);
    CHECK(fsync(fd) == 0 && fstatvfs(fd, &later) == 0 && later.f_bfree <= disk.f_bfree - 32 && close(fd) == 0);
    FAILS(statvfs("/disk/none", &disk), ENOENT);
}
int main(void)
{
    room();
    of_the_disk();
    of_ones_own();
    printf("links lead where they say\n");
    return 0;
}
