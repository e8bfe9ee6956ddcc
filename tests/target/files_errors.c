// expect stdout open: No such file or directory
// expect stdout create: File exists
// expect stdout read: Bad file number
// expect stdout write: Bad file number
// expect stdout seek: Invalid argument
// expect stdout pipe seek: Illegal seek
// expect stdout closed: Bad file number
// expect stdout long name: File or path name too long
// expect stdout unlink: No such file or directory
// expect stdout broken pipe: Broken pipe
// expect stdout end of the pipe 0
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "worked");
}
int main(void)
{
    char byte = 0, name[100];
    int p[2], q[2];
    say("open", open("nothing", O_RDONLY));
    int writing = open("a", O_WRONLY | O_CREAT, 0644), reading = open("a", O_RDONLY);
    say("create", open("a", O_WRONLY | O_CREAT | O_EXCL, 0644));
    say("read", read(writing, &byte, 1));
    say("write", write(reading, &byte, 1));
    say("seek", lseek(reading, -1, SEEK_SET));
    pipe(p);
    say("pipe seek", lseek(p[0], 0, SEEK_SET));
    close(reading);
    say("closed", read(reading, &byte, 1));
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    say("long name", open(name, O_RDONLY));
    say("unlink", unlink("nothing"));
    close(p[0]);
    hrsleep(2000000);
    say("broken pipe", write(p[1], &byte, 1));
    pipe(q);
    close(q[1]);
    printf("end of the pipe %d\n", (int)read(q[0], &byte, 1));
    return 0;
}
