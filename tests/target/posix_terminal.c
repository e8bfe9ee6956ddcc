// stdin nobody types this
// expect stdout no terminal
// expect stdout 3 bytes wait
// expect stdout no library is loaded
// expect stdout root at /
/* Where the console is a program's streams it is no terminal; what descriptors are asked; what is there only to be asked. */
#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

int main(void)
{
    struct termios settings;
    struct winsize size;
    struct rusage used;
    char target[8];
    int sides[2], count = 0;
    if (isatty(0) || isatty(1) || tcgetattr(0, &settings) != -1 || errno != ENOTTY || tcsetattr(1, TCSANOW, &settings) != -1)
        return 1;
    printf("no terminal\n");
    if (pipe(sides) < 0 || write(sides[1], "abc", 3) != 3 || ioctl(sides[0], FIONREAD, &count) < 0)
        return 2;
    printf("%d bytes wait\n", count);
    if (ioctl(0, TIOCGWINSZ, &size) != -1 || errno != ENOTTY || ioctl(300, FIONREAD, &count) != -1 || errno != EBADF)
        return 3;
    if (dlopen("libm.so", RTLD_NOW) || dlsym(RTLD_DEFAULT, "main"))
        return 4;
    printf("%s\n", dlerror() && !dlerror() ? "no library is loaded" : "?");
    if (symlink("a", "b") != -1 || errno != EPERM || readlink("none", target, 8) != -1 || errno != ENOENT)
        return 5;
    if (getrusage(RUSAGE_SELF, &used) < 0 || getppid() <= 0 || getpgrp() != getpid())
        return 6;
    printf("%s at %s\n", getpwuid(getuid())->pw_name, getpwnam("root")->pw_dir);
    return 0;
}
