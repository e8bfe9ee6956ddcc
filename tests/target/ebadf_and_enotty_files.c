// expect stdout fstat: Bad file number
// expect stdout no terminal: Bad file number
// expect stdout a file is no terminal: Not a character device
// expect stdout closed directory: Bad file number
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
    DIR *directory = opendir("/");
    say("fstat", fstat(300, &status));
    say("no terminal", isatty(300) ? 0 : -1);
    say("a file is no terminal", isatty(open("a", O_WRONLY | O_CREAT, 0644)) ? 0 : -1);
    close(dirfd(directory));
    say("closed directory", readdir(directory) ? 0 : -1);
    return 0;
}
