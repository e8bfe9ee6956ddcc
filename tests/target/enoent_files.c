// expect stdout open in no directory: No such file or directory
// expect stdout mkdir in no directory: No such file or directory
// expect stdout opendir: No such file or directory
// expect stdout stat: No such file or directory
// expect stdout access: No such file or directory
// expect stdout rmdir: No such file or directory
// expect stdout rename: No such file or directory
// expect stdout no path: No such file or directory
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
    struct stat status;
    say("open in no directory", open("no/a", O_WRONLY | O_CREAT, 0644));
    say("mkdir in no directory", mkdir("no/d", 0755));
    say("opendir", opendir("no") ? 0 : -1);
    say("stat", stat("no", &status));
    say("access", access("no", F_OK));
    say("rmdir", rmdir("no"));
    say("rename", rename("no", "a"));
    say("no path", open("", O_RDONLY));
    return 0;
}
