/* Where there is no disk that can be used, each call says so. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    int result = stat("/disk/file", &status);
    printf("no disk: %d\n", result < 0 ? errno : 0);
    return 0;
}
