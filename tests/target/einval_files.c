// expect stdout directory into itself: Invalid argument
// expect stdout two points: Invalid argument
// expect stdout a directory's position: Invalid argument
#include <pebble.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "worked");
}
int main(void)
{
    mkdir("d", 0755);
    say("directory into itself", rename("d", "d/e"));
    say("two points", open("d/../a", O_WRONLY | O_CREAT, 0644));
    say("a directory's position", lseek(open("d", O_RDONLY), 1, SEEK_SET));
    return 0;
}
