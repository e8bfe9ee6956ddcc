// expect stdout open for writing: Is a directory
// expect stdout read: Is a directory
// expect stdout unlink: Is a directory
// expect stdout file onto directory: Is a directory
#include <pebble.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "worked");
}
static int touch(const char *path)
{
    return close(open(path, O_WRONLY | O_CREAT, 0644));
}
int main(void)
{
    char byte;
    mkdir("d", 0755);
    touch("f");
    say("open for writing", open("d", O_WRONLY));
    say("read", read(open("d", O_RDONLY), &byte, 1));
    say("unlink", unlink("d"));
    say("file onto directory", rename("f", "d"));
    return 0;
}
