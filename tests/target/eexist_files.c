// expect stdout mkdir where a directory is: File exists
// expect stdout mkdir where a file is: File exists
// expect stdout open: File exists
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
    touch("f");
    say("mkdir where a directory is", mkdir("d", 0755));
    say("mkdir where a file is", mkdir("f", 0755));
    say("open", open("d", O_WRONLY | O_CREAT | O_EXCL, 0644));
    return 0;
}
