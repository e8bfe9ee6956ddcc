// expect stdout the console again
// system exec
/* A standard stream that is closed is closed, and what is opened next takes its place, as POSIX has it; a duplicate of the console brings it
   back. Neither can be used the other way round. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int step;
#define CHECK(what) (step++, errno = 0, (what) ? 0 : (dprintf(2, "step %d: %s, errno %d\n", step, #what, errno), _exit(1), 0))
#define REFUSED(call, number) CHECK((call) == -1 && errno == (number))

int main(void)
{
    char text[32] = "";
    REFUSED(read(1, text, 1), EBADF);
    REFUSED(read(2, text, 1), EBADF);
    REFUSED(write(0, "x", 1), EBADF);
    /* What is not open. */
    for (int fd = 3; fd < 40; fd++) {
        REFUSED(fd == 3 ? write(99, "x", 1) : write(fd, "x", 1), EBADF);
        REFUSED(close(fd == 3 ? 99 : fd), EBADF);
    }
    int console = dup(1), other = dup(1);
    CHECK(console > 2 && other > 2 && isatty(console) == isatty(1));
    REFUSED(read(console, text, 1), EBADF);
    CHECK(close(other) == 0);
    CHECK(close(1) == 0);
    REFUSED(close(1), EBADF);
    REFUSED(write(1, "lost", 4), EBADF);
    REFUSED(dup(1), EBADF);
    REFUSED(dup2(1, 1), EBADF);
    REFUSED(dup2(1, 2), EBADF);
    REFUSED(fcntl(1, F_GETFD), EBADF);
    struct stat status;
    REFUSED(fstat(1, &status), EBADF);
    struct pollfd one = {1, POLLOUT, 0};
    CHECK(poll(&one, 1, 0) == 1 && one.revents == POLLNVAL);
    CHECK(printf("lost too") == 8 && fflush(stdout) == EOF && errno == EBADF);
    clearerr(stdout);
    CHECK(open("out", O_RDWR | O_CREAT, 0644) == 1);
    CHECK(printf("to the file") == 11 && fflush(stdout) == 0);
    CHECK(lseek(1, -8, SEEK_END) >= 0 && read(1, text, sizeof text) == 8 && memcmp(text, "the file", 8) == 0);
    /* Input that is closed: the reading side of a pipe takes its place. */
    int sides[2];
    CHECK(close(0) == 0);
    REFUSED(read(0, text, 1), EBADF);
    CHECK(pipe(sides) == 0 && sides[0] == 0 && sides[1] > 2);
    CHECK(write(sides[1], "piped\n", 6) == 6 && close(sides[1]) == 0);
    CHECK(fgets(text, sizeof text, stdin) && strcmp(text, "piped\n") == 0);
    REFUSED(write(0, "x", 1), EBADF);
    CHECK(dup2(console, 1) == 1 && close(console) == 0);
    REFUSED(write(console, "x", 1), EBADF);
    CHECK(close(2) == 0 && open("/dev/null", O_WRONLY) == 2 && write(2, "nobody", 6) == 6);
    CHECK(dup2(1, 2) == 2);
    printf("the console again\n");
    return 0;
}
