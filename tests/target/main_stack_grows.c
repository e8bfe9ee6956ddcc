// expect stdout right
/* The main stack grows to what it may have, whatever is passed from it to the system, and is a copy's, too; other threads' stacks and the heap are not in its way. */
#define PEBBLE_POSIX
#include <pebble.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAME = 1000, DEPTH = 7000 };

/* 7 MB in small frames; how many of them are as they were left. */
__attribute__((noinline)) static long small(long depth)
{
    volatile char frame[FRAME];
    frame[0] = depth;
    frame[FRAME - 1] = depth;
    long below = depth ? small(depth - 1) : 0;
    return below + (frame[0] == (char)depth && frame[FRAME - 1] == (char)depth);
}
/* A frame of 4 MB, of which the system writes the lowest byte first. */
__attribute__((noinline)) static int large(void)
{
    static const char text[] = "passed to the system";
    char frame[4 << 20];
    int ends[2];
    if (pipe(ends) < 0 || write(ends[1], text, sizeof text) != sizeof text || read(ends[0], frame, sizeof text) != sizeof text)
        return 0;
    close(ends[0]);
    close(ends[1]);
    return strcmp(frame, text) == 0;
}
static void *other(void *unused)
{
    char frame[100000];
    memset(frame, 'o', sizeof frame);
    return frame[99999] == 'o' ? unused : NULL;
}
int main(void)
{
    pthread_t threads[20];
    for (int n = 0; n < 20; n++)
        if (pthread_create(&threads[n], NULL, other, threads) != 0)
            return 1;
    if (!large())
        return 2;
    int status = 0, child = fork();
    if (child == 0)
        _exit(small(DEPTH) == DEPTH + 1 && large() ? 7 : 8);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        return 3;
    if (small(DEPTH) != DEPTH + 1)
        return 4;
    for (int n = 0; n < 20; n++) {
        void *result = NULL;
        if (pthread_join(threads[n], &result) != 0 || !result)
            return 5;
    }
    puts("right");
    return 0;
}
