// expect stdout all right
// expect status 0
/* How much room there is, and what sysconf says of what there is and of what is no name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: " #what ", errno %d\n", __LINE__, errno), exit(1)))

static long asked(int name)
{
    errno = 0;
    return sysconf(name);
}
int main(void)
{
    struct statvfs room, later;
    CHECK(statvfs("/", &room) == 0 && room.f_frsize == 4096 && room.f_namemax == 63);
    CHECK(room.f_blocks > 1000 && room.f_bfree > 100 && room.f_bfree < room.f_blocks && room.f_bavail == room.f_bfree);
    CHECK(asked(_SC_PHYS_PAGES) == (long)room.f_blocks && asked(_SC_AVPHYS_PAGES) > 100 && asked(_SC_AVPHYS_PAGES) < asked(_SC_PHYS_PAGES));
    /* What a file takes is not free. */
    static char page[4096];
    int fd = open("long", O_RDWR | O_CREAT, 0666);
    memset(page, 'x', sizeof page);
    for (int n = 0; n < 64; n++)
        CHECK(write(fd, page, sizeof page) == sizeof page);
    CHECK(fstatvfs(fd, &later) == 0 && later.f_blocks == room.f_blocks && later.f_bfree <= room.f_bfree - 64);
    CHECK(close(fd) == 0 && unlink("long") == 0);
    CHECK(statvfs("none", &room) < 0 && errno == ENOENT);
    CHECK(fstatvfs(fd, &room) < 0 && errno == EBADF);
    CHECK(asked(_SC_PAGESIZE) == 4096 && asked(_SC_SYMLOOP_MAX) == 40 && asked(_SC_LOGIN_NAME_MAX) == 5 && errno == 0);
    /* There is none, which is no error; and that is no name. */
    CHECK(asked(_SC_TIMER_MAX) == -1 && errno == 0 && asked(_SC_MQ_OPEN_MAX) == -1 && errno == 0 && asked(_SC_BARRIERS) == -1 && errno == 0);
    CHECK(asked(-1) == -1 && errno == EINVAL && asked(100000) == -1 && errno == EINVAL);
    puts("all right");
}
