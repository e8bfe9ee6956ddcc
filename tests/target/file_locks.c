// expect stdout all right
/* Locks on files, between a program and copies of it: who has what, who waits, what a close, an end and a circle of waits do. An argument is
   the file. */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#define MUST(what)                                                                \
    do {                                                                          \
        if (!(what)) {                                                            \
            printf("line %d: %s: %s\n", __LINE__, #what, strerror(errno));        \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
/* What fails with an error. */
#define REFUSED(what, error) MUST((errno = 0, (what)) == -1 && errno == (error))

static const char *path = "locked";
static int own(int fd, int command, int type, long start, long length)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, command, &range);
}
/* Runs `body` in a copy of this domain, which must end with 0. */
#define IN_A_COPY(...)                    \
    do {                                  \
        int copy = domain_fork(NULL), how;\
        if (copy == 0) {                  \
            __VA_ARGS__;                  \
            _exit(0);                     \
        }                                 \
        MUST(copy > 0);                   \
        MUST(domain_wait(copy, &how) == 0 && how == 0); \
    } while (0)
static int open_again(int how)
{
    int fd = open(path, how);
    MUST(fd >= 0);
    return fd;
}
static int ready[2], go[2];
static void say(int *pipe)
{
    MUST(write(pipe[1], "x", 1) == 1);
}
static void hear(int *pipe)
{
    char byte;
    MUST(read(pipe[0], &byte, 1) == 1);
}
/* Soon enough for who waits to have begun to. */
static void later(void)
{
    usleep(30000);
}

static void ranges(int fd)
{
    int me = get_asid();
    MUST(own(fd, F_SETLK, F_WRLCK, 10, 10) == 0);
    MUST(own(fd, F_SETLK, F_RDLCK, 100, 0) == 0);
    /* What is the program's own is in nobody's way there, whatever the descriptor. */
    int other = dup(fd);
    MUST(own(other, F_SETLK, F_WRLCK, 0, 15) == 0 && own(other, F_SETLK, F_UNLCK, 0, 10) == 0);
    IN_A_COPY({
        /* A copy of the domain has no locks, and its own descriptors. */
        int fd = open_again(O_RDWR);
        REFUSED(own(fd, F_SETLK, F_RDLCK, 19, 1), EAGAIN);
        MUST(own(fd, F_SETLK, F_RDLCK, 20, 1000) == 0);
        REFUSED(own(fd, F_SETLK, F_WRLCK, 1000, 1), EAGAIN);
        struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 1000};
        MUST(fcntl(fd, F_GETLK, &range) == 0 && range.l_type == F_WRLCK && range.l_pid == me);
        MUST(range.l_start == 10 && range.l_len == 10 && range.l_whence == SEEK_SET);
        range = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 20};
        MUST(fcntl(fd, F_GETLK, &range) == 0 && range.l_type == F_UNLCK && range.l_start == 20);
        lseek(fd, 15, SEEK_SET);
        REFUSED(lockf(fd, F_TEST, 1), EAGAIN);
        REFUSED(lockf(fd, F_TLOCK, -3), EAGAIN);
        MUST(lockf(fd, F_TLOCK, -6) == -1 && lockf(fd, F_TEST, -10) == -1);
        lseek(fd, 10, SEEK_SET);
        MUST(lockf(fd, F_TLOCK, -10) == 0 && lockf(fd, F_TEST, -10) == 0);
    });
    /* What the copy had went with it. */
    MUST(own(fd, F_SETLK, F_WRLCK, 0, 0) == 0);
    /* To close any descriptor of the file gives all of them up. */
    close(other);
    IN_A_COPY(MUST(own(open_again(O_RDWR), F_SETLK, F_WRLCK, 0, 0) == 0));
}
static void refusals(int fd)
{
    int reads = open_again(O_RDONLY), writes = open_again(O_WRONLY);
    REFUSED(own(reads, F_SETLK, F_WRLCK, 0, 1), EBADF);
    REFUSED(own(writes, F_SETLK, F_RDLCK, 0, 1), EBADF);
    MUST(own(reads, F_SETLK, F_RDLCK, 0, 1) == 0 && own(writes, F_SETLK, F_WRLCK, 0, 1) == 0);
    REFUSED(own(fd, F_SETLK, F_RDLCK, -1, 1), EINVAL);
    REFUSED(own(fd, F_SETLK, F_RDLCK, 3, -4), EINVAL);
    REFUSED(own(fd, F_SETLK, 77, 0, 1), EINVAL);
    REFUSED(own(fd, F_SETLK, F_RDLCK, 1, 0x7fffffffffffffff), EOVERFLOW);
    REFUSED(own(99, F_SETLK, F_RDLCK, 0, 1), EBADF);
    REFUSED(own(1, F_SETLK, F_WRLCK, 0, 1), EINVAL);
    REFUSED(own(ready[0], F_SETLK, F_RDLCK, 0, 1), EINVAL);
    REFUSED(flock(ready[0], LOCK_EX), EINVAL);
    REFUSED(flock(fd, LOCK_SH | LOCK_EX), EINVAL);
    close(reads);
    close(writes);
}
/* A lock on a whole file is the descriptor's, and a copy of the domain shares it. */
static void whole(int fd)
{
    int other = open_again(O_RDONLY), copy = dup(fd);
    MUST(flock(fd, LOCK_EX) == 0 && flock(copy, LOCK_EX | LOCK_NB) == 0);
    REFUSED(flock(other, LOCK_SH | LOCK_NB), EAGAIN);
    /* Locks on ranges are others. */
    MUST(own(fd, F_SETLK, F_WRLCK, 0, 0) == 0);
    IN_A_COPY(MUST(flock(fd, LOCK_SH | LOCK_NB) == 0));
    MUST(flock(other, LOCK_SH | LOCK_NB) == 0);
    REFUSED(flock(fd, LOCK_EX | LOCK_NB), EAGAIN);
    MUST(flock(other, LOCK_UN) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    close(copy);
    REFUSED(flock(other, LOCK_SH | LOCK_NB), EAGAIN);
    MUST(flock(fd, LOCK_UN) == 0 && flock(other, LOCK_EX | LOCK_NB) == 0);
    close(other);
    MUST(flock(fd, LOCK_EX | LOCK_NB) == 0 && flock(fd, LOCK_UN) == 0);
    MUST(own(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
}
/* Each of some copies adds one to a number in the file many times, reading, waiting and writing. */
static void counted(int fd, int by_flock)
{
    enum { COPIES = 5, TIMES = 20 };
    int copies[COPIES], how;
    long number = 0;
    MUST(pwrite(fd, &number, sizeof number, 0) == sizeof number);
    for (int n = 0; n < COPIES; n++)
        if ((copies[n] = domain_fork(NULL)) == 0) {
            int fd = open_again(O_RDWR);
            for (int n = 0; n < TIMES; n++) {
                MUST((by_flock ? flock(fd, LOCK_EX) : own(fd, F_SETLKW, F_WRLCK, 0, 8)) == 0);
                MUST(pread(fd, &number, sizeof number, 0) == sizeof number);
                number++;
                usleep(500);
                MUST(pwrite(fd, &number, sizeof number, 0) == sizeof number);
                MUST((by_flock ? flock(fd, LOCK_UN) : own(fd, F_SETLK, F_UNLCK, 0, 8)) == 0);
            }
            _exit(0);
        }
    for (int n = 0; n < COPIES; n++)
        MUST(copies[n] > 0 && domain_wait(copies[n], &how) == 0 && how == 0);
    MUST(pread(fd, &number, sizeof number, 0) == sizeof number && number == COPIES * TIMES);
}
/* A domain that is ended while it has a lock, and one that is while it waits for one. */
static void ends(int fd)
{
    int copy = domain_fork(NULL);
    if (copy == 0) {
        MUST(own(fd, F_SETLK, F_WRLCK, 0, 8) == 0);
        say(ready);
        for (;;)
            pause();
    }
    hear(ready);
    REFUSED(own(fd, F_SETLK, F_RDLCK, 0, 1), EAGAIN);
    int waits = domain_fork(NULL);
    if (waits == 0) {
        say(ready);
        own(fd, F_SETLKW, F_WRLCK, 0, 8);
        _exit(1);
    }
    hear(ready);
    later();
    int how;
    MUST(domain_kill(waits) == 0 && domain_wait(waits, &how) == 0);
    MUST(domain_kill(copy) == 0);
    MUST(own(fd, F_SETLKW, F_WRLCK, 0, 8) == 0);
    MUST(domain_wait(copy, &how) == 0 && own(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
}
static void circle(int fd)
{
    MUST(own(fd, F_SETLK, F_WRLCK, 0, 1) == 0);
    int copy = domain_fork(NULL), how;
    if (copy == 0) {
        MUST(own(fd, F_SETLK, F_WRLCK, 1, 1) == 0);
        say(ready);
        MUST(own(fd, F_SETLKW, F_WRLCK, 0, 1) == 0);
        _exit(0);
    }
    hear(ready);
    later();
    REFUSED(own(fd, F_SETLKW, F_RDLCK, 1, 1), EDEADLK);
    MUST(own(fd, F_SETLK, F_UNLCK, 0, 1) == 0 && domain_wait(copy, &how) == 0 && how == 0);
}
static void *closes(void *fd)
{
    later();
    close((int)(long)fd);
    return NULL;
}
/* A descriptor that is closed while a thread waits through it. */
static void closed(int fd)
{
    int other = open_again(O_RDWR);
    pthread_t thread;
    MUST(flock(fd, LOCK_EX) == 0);
    MUST(pthread_create(&thread, NULL, closes, (void *)(long)other) == 0);
    REFUSED(flock(other, LOCK_EX), EBADF);
    MUST(pthread_join(thread, NULL) == 0 && flock(fd, LOCK_UN) == 0);
}
/* More wait than the files component has semaphores for. */
static void many(int fd)
{
    enum { COPIES = 12 };
    int copies[COPIES], how;
    MUST(flock(fd, LOCK_EX) == 0);
    for (int n = 0; n < COPIES; n++)
        if ((copies[n] = domain_fork(NULL)) == 0)
            _exit(flock(open_again(O_RDONLY), n % 2 ? LOCK_SH : LOCK_EX) != 0);
    later();
    MUST(flock(fd, LOCK_UN) == 0);
    for (int n = 0; n < COPIES; n++)
        MUST(copies[n] > 0 && domain_wait(copies[n], &how) == 0 && how == 0);
}
/* As many as the limit allows are refused to nobody, and one more is. */
static void limit(int fd)
{
    long n = 0;
    while (n < 5000 && own(fd, F_SETLK, F_WRLCK, 2 * n, 1) == 0)
        n++;
    MUST(errno == ENOLCK && n > 50 && n < 5000);
    MUST(own(fd, F_SETLK, F_WRLCK, 0, 0) == 0 && own(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
    MUST(own(fd, F_SETLK, F_WRLCK, 0, 1) == 0 && own(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
}
int main(int argc, char **argv)
{
    if (argc > 1)
        path = argv[1];
    int fd = open(path, O_RDWR | O_CREAT, 0644);
    MUST(fd >= 0 && pipe(ready) == 0 && pipe(go) == 0);
    ranges(fd);
    refusals(fd);
    whole(fd);
    counted(fd, 0);
    counted(fd, 1);
    ends(fd);
    circle(fd);
    closed(fd);
    many(fd);
    limit(fd);
    printf("all right\n");
    return 0;
}
