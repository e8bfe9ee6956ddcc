// timeout 60
// expect stdout nothing, then a pipe, then its end
// expect stdout timed out, then woken
// expect stdout 1000 in turns, 7 from a thread
// expect stdout read and written at places
/* select and poll of pipes, waits that end at a time, read-write locks, threads of C11, files at a place, /tmp, /dev/null. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                     \
    if (!(condition)) {                                                      \
        printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno)); \
        return 1;                                                            \
    }
static struct timespec in(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
static int write_later(void *argument)
{
    int fd = *(int *)argument;
    usleep(50000);
    write(fd, "x", 1);
    return 7;
}
static int pipes(void)
{
    int sides[2];
    char byte;
    thrd_t thread;
    CHECK(pipe(sides) == 0);
    fd_set reads, writes;
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_SET(sides[0], &reads);
    FD_SET(sides[1], &writes);
    CHECK(select(sides[1] + 1, &reads, NULL, NULL, &(struct timeval){0, 20000}) == 0 && !FD_ISSET(sides[0], &reads));
    CHECK(select(sides[1] + 1, NULL, &writes, NULL, NULL) == 1 && FD_ISSET(sides[1], &writes));
    struct pollfd list[] = {{sides[0], POLLIN, 0}, {-1, POLLIN, 9}};
    CHECK(poll(list, 2, 0) == 0 && list[1].revents == 0);
    CHECK(thrd_create(&thread, write_later, &sides[1]) == thrd_success);
    FD_SET(sides[0], &reads);
    CHECK(select(sides[1] + 1, &reads, NULL, NULL, NULL) == 1 && read(sides[0], &byte, 1) == 1);
    int result;
    CHECK(thrd_join(thread, &result) == thrd_success && result == 7);
    close(sides[1]);
    CHECK(poll(list, 1, -1) == 1 && list[0].revents == POLLHUP);
    FD_SET(sides[0], &reads);
    CHECK(select(sides[0] + 1, &reads, NULL, NULL, NULL) == 1 && read(sides[0], &byte, 1) == 0);
    close(sides[0]);
    FD_ZERO(&reads);
    FD_SET(sides[0], &reads);
    CHECK(select(sides[0] + 1, &reads, NULL, NULL, NULL) == -1 && errno == EBADF);
    CHECK(select(FD_SETSIZE + 1, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(select(0, NULL, NULL, NULL, &(struct timeval){0, 1000}) == 0 && FD_SETSIZE >= 512);
    printf("nothing, then a pipe, then its end\n");
    return 0;
}
static mtx_t mutex;
static cnd_t condition;
static int signalled;
static int signal_later(void *argument)
{
    usleep(30000);
    mtx_lock(&mutex);
    signalled = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    return 0;
}
static int times(void)
{
    thrd_t thread;
    CHECK(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&condition) == thrd_success && mtx_lock(&mutex) == thrd_success);
    struct timespec until = in(30), wrong = {0, 1000000000};
    CHECK(cnd_timedwait(&condition, &mutex, &until) == thrd_timedout);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &wrong) == EINVAL);
    CHECK(thrd_create(&thread, signal_later, NULL) == thrd_success);
    until = in(20000);
    while (!signalled)
        CHECK(cnd_timedwait(&condition, &mutex, &until) == thrd_success);
    CHECK(thrd_join(thread, NULL) == thrd_success);
    until = in(10);
    CHECK(mtx_trylock(&mutex) == thrd_busy && mtx_timedlock(&mutex, &until) == thrd_timedout);
    CHECK(mtx_unlock(&mutex) == thrd_success && mtx_timedlock(&mutex, &until) == thrd_success && mtx_unlock(&mutex) == 0);
    printf("timed out, then woken\n");
    return 0;
}
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int counted;
static once_flag once = ONCE_FLAG_INIT;
static thread_local int own;
static void first(void)
{
    counted += 1000;
}
static int count(void *argument)
{
    call_once(&once, first);
    for (int n = 0; n < 250; n++) {
        pthread_rwlock_wrlock(&lock);
        int before = counted;
        if (n % 16 == 0)
            thrd_yield();
        counted = before + 1;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_rdlock(&lock);
        own += counted > 0;
        pthread_rwlock_unlock(&lock);
    }
    thrd_exit(own == 250 ? 7 : 0);
}
static int locks(void)
{
    thrd_t threads[4];
    int result = 0;
    CHECK(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == 0 && pthread_rwlock_trywrlock(&lock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_trywrlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_unlock(&lock) == 0);
    for (int n = 0; n < 4; n++)
        CHECK(thrd_create(&threads[n], count, NULL) == thrd_success);
    for (int n = 0; n < 4; n++)
        CHECK(thrd_join(threads[n], &result) == thrd_success && result == 7);
    printf("%d in turns, %d from a thread\n", counted - 1000, result);
    return 0;
}
static int places(void)
{
    char text[8] = "", name[64];
    struct stat status;
    int fd = open("/tmp/a-file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && dprintf(fd, "%d-%s", 12, "34") == 5 && pwrite(fd, "X", 1, 2) == 1 && pread(fd, text, 3, 1) == 3);
    CHECK(strcmp(text, "2X3") == 0 && lseek(fd, 0, SEEK_CUR) == 5 && pread(fd, text, 1, -1) == -1 && errno == EINVAL);
    close(fd);
    CHECK(lstat("/tmp/a-file", &status) == 0 && status.st_size == 5 && chmod("/tmp/a-file", 0600) == 0 && chmod("/tmp/no", 0) == -1);
    CHECK(chdir("/tmp") == 0 && strcmp(realpath("./a-file", name), "/tmp/a-file") == 0 && !realpath("no", NULL));
    CHECK((fd = creat("/tmp/other", 0600)) >= 0 && close(fd) == 0);
    char pattern[] = "/tmp/XXXXXX";
    CHECK((fd = mkstemp(pattern)) >= 0 && close(fd) == 0 && access(pattern, F_OK) == 0);
    FILE *file = fopen("/dev/null", "r+");
    CHECK(file && fputs("gone", file) >= 0 && fflush(file) == 0 && getc(file) == EOF);
    printf("read and written at places\n");
    return 0;
}
int main(void)
{
    return pipes() || times() || locks() || places();
}
