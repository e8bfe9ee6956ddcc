// expect stdout rmdir: Directory not empty
// expect stdout directory onto directory: Directory not empty
// expect stdout after unlink: worked
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
    mkdir("d", 0755);
    mkdir("e", 0755);
    touch("d/f");
    say("rmdir", rmdir("d"));
    say("directory onto directory", rename("e", "d"));
    unlink("d/f");
    say("after unlink", rmdir("d"));
    return 0;
}
