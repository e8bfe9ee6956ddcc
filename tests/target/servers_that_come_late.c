// system late
// icount
// expect stdout the file system is waited for
// expect stdout a name that is only to be unlike others is not
// expect stdout random bytes are waited for
// expect stdout what does not come is waited for once
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s\n", __LINE__, #what), exit(1)))

static double now(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void)
{
    double start = now();
    CHECK(open("/disk/a", O_RDWR) == -1 && errno == EROFS);
    CHECK(now() - start > 0.1);
    printf("the file system is waited for\n");

    char path[] = "/tmp/aXXXXXX";
    start = now();
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0 && unlink(path) == 0);
    CHECK(now() - start < 0.1);
    printf("a name that is only to be unlike others is not\n");

    unsigned char bytes[300] = {0};
    arc4random_buf(bytes, sizeof bytes);
    for (size_t n = 0; n < sizeof bytes; n++)
        CHECK(bytes[n] == 7);
    CHECK(now() - start > 0.1);
    printf("random bytes are waited for\n");

    start = now();
    CHECK(unlink("/disk/a") == -1 && errno == ENOENT);
    double waited = now() - start;
    CHECK(waited > 1.9 && waited < 3);
    start = now();
    CHECK(unlink("/disk/a") == -1 && errno == ENOENT);
    CHECK(now() - start < 0.1);
    printf("what does not come is waited for once\n");
    return 0;
}
