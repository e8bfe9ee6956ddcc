// expect stdout a file on the way: Not a directory
// expect stdout a slash after a file: Not a directory
// expect stdout opendir: Not a directory
// expect stdout fdopendir: Not a directory
// expect stdout rmdir: Not a directory
// expect stdout directory onto file: Not a directory
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
    touch("f");
    mkdir("d", 0755);
    say("a file on the way", open("f/x", O_WRONLY | O_CREAT, 0644));
    say("a slash after a file", open("f/", O_RDONLY));
    say("opendir", opendir("f") ? 0 : -1);
    say("fdopendir", fdopendir(open("f", O_RDONLY)) ? 0 : -1);
    say("rmdir", rmdir("f"));
    say("directory onto file", rename("d", "f"));
    return 0;
}
