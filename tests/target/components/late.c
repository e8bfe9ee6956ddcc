/* Two servers in one that begin to serve when their clients run already: a file system on which nothing may be written, and random bytes that anybody could foresee. */
#include <errno.h>
#include <pebble.h>
#include <unistd.h>

static word refuses(void)
{
    return -EROFS;
}
static word gives(unsigned char *to, word bytes)
{
    word room = 4096 - (word)to % 4096, count = bytes < room ? bytes : room;
    for (word n = 0; n < count; n++)
        to[n] = 7;
    return count;
}
int main(void)
{
    usleep(300000);
    if (portal_register("disk.open", "npri", refuses, NULL, 1) < 0)
        return 1;
    usleep(300000);
    if (portal_register("entropy.read", "npwi", gives, NULL, 1) < 0)
        return 1;
    thread_exit();
}
