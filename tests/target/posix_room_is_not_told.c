// system exec-confined
// expect stdout nobody says
// expect status 0
/* Without a right to memory.info, how much there is is not told, in words that POSIX has for that. */
#include <errno.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

int main(void)
{
    struct statvfs room;
    if (statvfs("/", &room) != -1 || errno != EACCES)
        return printf("errno %d\n", errno), 1;
    errno = 0;
    if (sysconf(_SC_PHYS_PAGES) != -1 || sysconf(_SC_AVPHYS_PAGES) != -1 || errno)
        return 2;
    puts("nobody says");
    return 0;
}
