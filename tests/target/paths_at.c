// expect stdout all right
// expect status 0
/* Paths that begin at open directories, through renaming, reuse of numbers and what is no directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s, errno %d\n", __LINE__, #what, errno), exit(1)))
#define FAILS(what, why) CHECK((what) < 0 && errno == (why))

int main(void)
{
    struct stat of;
    char text[9] = "";
    CHECK(mkdir("/a", 0777) == 0 && mkdir("/b", 0777) == 0 && chdir("/a") == 0);
    int a = open("/a", O_RDONLY | O_DIRECTORY), b = open("../b", O_RDONLY);
    /* No path has a `..`. */
    CHECK(a >= 0 && b < 0);
    b = open("//b/", O_RDONLY);
    CHECK(b >= 0);
    int fd = openat(b, "file", O_RDWR | O_CREAT | O_EXCL, 0666);
    CHECK(fd >= 0 && write(fd, "there", 5) == 5);
    CHECK(stat("/b/file", &of) == 0 && of.st_size == 5 && fstatat(b, "file", &of, 0) == 0 && of.st_size == 5);
    FAILS(fstatat(a, "file", &of, 0), ENOENT);
    FAILS(openat(fd, "x", O_RDONLY), ENOTDIR);
    FAILS(openat(999, "x", O_RDONLY), EBADF);
    FAILS(openat(b, "", O_RDONLY), ENOENT);
    CHECK(fstatat(fd, "", &of, AT_EMPTY_PATH) == 0 && of.st_size == 5 && fstatat(AT_FDCWD, "", &of, AT_EMPTY_PATH) == 0 && S_ISDIR(of.st_mode));
    CHECK(fstatat(fd, "/b/file", &of, AT_SYMLINK_NOFOLLOW) == 0 && faccessat(b, "file", R_OK, 0) == 0);
    FAILS(faccessat(b, "file", X_OK, 0), EACCES);
    CHECK(mkdirat(b, "in", 0777) == 0 && renameat(b, "file", a, "moved") == 0 && stat("/a/moved", &of) == 0);
    CHECK(fstatat(AT_FDCWD, "moved", &of, 0) == 0 && utimensat(a, "moved", NULL, 0) == 0 && fchmodat(a, "moved", 0600, 0) == 0);
    FAILS(unlinkat(b, "in", 0), EISDIR);
    CHECK(unlinkat(b, "in", AT_REMOVEDIR) == 0 && unlinkat(a, "moved", 0) == 0);
    FAILS(symlinkat("x", a, "link"), EPERM);
    FAILS(linkat(a, "x", b, "y", 0), EPERM);
    /* That of a stream of names. */
    DIR *names = opendir("/b");
    CHECK(names && mkdirat(dirfd(names), "deep", 0777) == 0 && stat("/b/deep", &of) == 0 && closedir(names) == 0);
    /* By another path the directory is not found, and no other one is taken for it. */
    CHECK(rename("/a", "/c") == 0 && mkdir("/a", 0777) == 0);
    FAILS(openat(a, "new", O_WRONLY | O_CREAT, 0666), ENOENT);
    FAILS(stat("/a/new", &of), ENOENT);
    /* A number that was another's. */
    CHECK(close(a) == 0 && close(b) == 0);
    int again = open("/b/deep", O_RDONLY | O_DIRECTORY);
    CHECK(again >= 0 && mkdirat(again, "in", 0777) == 0 && stat("/b/deep/in", &of) == 0);
    CHECK(fchdir(again) == 0 && getcwd(text, sizeof text) && strcmp(text, "/b/deep") == 0 && stat("in", &of) == 0);
    int twice = dup(again);
    FAILS(openat(twice, "in", O_RDONLY), ENOTSUP);
    puts("all right");
}
