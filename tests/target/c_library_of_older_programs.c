// expect stdout right
// expect stdout perror: Disk quota exceeded
/* What programs from elsewhere call, and what each is to answer. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s\n", __LINE__, #what), exit(1)))

static void text(void)
{
    char *long_needle = malloc(1000001);
    memset(long_needle, 'A', 1000000);
    const char *hay = "AAAAAAAAAABABAB";
    for (size_t n = 16; n <= 1000000; n = n * 3 / 2)
        CHECK(!memmem(hay, strlen(hay), long_needle, n));
    CHECK(memmem(hay, 15, "BAB", 3) == hay + 10 && !memmem("ab", 2, "abc", 3) && memmem(hay, 15, "", 0) == hay);
    free(long_needle);
    for (int error = 1; error < 260; error++)
        CHECK(*strerror(error));
    CHECK(strcmp(strerror(204), "not allowed by the manifest") == 0 && strstr(strerror(9999), "9999"));
    CHECK(!fnmatch("[[:alpha:]]*", "abc", 0) && fnmatch("[[:digit:]]", "a", 0) && fnmatch("*", "a/b", FNM_PATHNAME) && !fnmatch("*/b*", "aa/bb", FNM_PATHNAME));
}
static void variables(void)
{
    static char put[] = "OLDER=3";
    CHECK(setenv("", "x", 1) == -1 && errno == EINVAL && setenv("a=b", "x", 1) == -1 && unsetenv("") == -1);
    CHECK(putenv(put) == 0 && (put[6] = '4', strcmp(getenv("OLDER"), "4") == 0));
    CHECK(setenv("OLDER", "5", 0) == 0 && strcmp(getenv("OLDER"), "4") == 0 && setenv("OLDER", "6", 1) == 0 && strcmp(getenv("OLDER"), "6") == 0);
    for (int n = 0; n < 100; n++) {
        char name[20];
        snprintf(name, sizeof name, "OLDER%d", n);
        CHECK(setenv(name, name, 1) == 0);
    }
    CHECK(strcmp(getenv("OLDER57"), "OLDER57") == 0 && unsetenv("OLDER57") == 0 && !getenv("OLDER57") && getenv("OLDER99"));
}
static void files(void)
{
    char name[L_tmpnam], other[L_tmpnam], folder[] = "folderXXXXXX", *cwd;
    CHECK(tmpnam(name) && tmpnam(other) && strcmp(name, other) != 0 && mkdtemp(folder) && access(folder, 0) == 0);
    CHECK((cwd = getcwd(NULL, 0)) && strcmp(cwd, "/") == 0);
    free(cwd);
    FILE *file = fopen("file", "w");
    CHECK(utime("file", NULL) == 0 && utime("none", NULL) == -1 && errno == ENOENT);
    fclose(file);
    int copy = dup(1), fd = open("file", O_RDWR);
    CHECK(copy > 0 && write(copy, "", 0) == 0 && close(copy) == 0 && dup2(fd, fd) == fd && dup2(100, 100) == -1 && errno == EBADF);
    close(fd);
    CHECK(arc4random() != arc4random() || arc4random() != arc4random());
    CHECK(arc4random_uniform(10) < 10 && arc4random_uniform(0) == 0);
}
static void addresses(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = inet_addr("10.0.2.15")};
    char host[40], service[10];
    struct in_addr address;
    CHECK(strcmp(inet_ntoa(at.sin_addr), "10.0.2.15") == 0 && inet_addr("1.2.3.256") == INADDR_NONE && inet_addr("127.1") == htonl(0x7f000001));
    CHECK(inet_aton("0x7f.1", &address) == 1 && address.s_addr == htonl(0x7f000001) && !inet_aton("1.2.3.4.5", &address) && !inet_aton("", &address));
    CHECK(getnameinfo((void *)&at, sizeof at, host, sizeof host, service, sizeof service, 0) == 0 && strcmp(host, "10.0.2.15") == 0 && strcmp(service, "8080") == 0);
    CHECK(getnameinfo((void *)&at, sizeof at, host, 5, NULL, 0, 0) == EAI_OVERFLOW && getnameinfo((void *)&at, sizeof at, host, 40, NULL, 0, NI_NAMEREQD) == EAI_NONAME);
}
static void *nothing(void *unused)
{
    return unused;
}
static void threads(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
    for (int n = 0; n < 3; n++) {
        int again = pthread_detach(thread);
        CHECK(again == EINVAL || again == ESRCH);
        again = pthread_join(thread, NULL);
        CHECK(again == EINVAL || again == ESRCH);
    }
    CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_detach(thread) == 0);
    int again = pthread_detach(thread);
    CHECK(again == EINVAL || again == ESRCH);
}
static void options(void)
{
    static const struct option longs[] = {{"verbose", 0, 0, 1}, {"version", 0, 0, 2}, {"output", 1, 0, 3}, {0}};
    char *words[] = {"x", "file", "--ver", "--verb", "-ab", "-bc", "--output", "p", "other", "--", "-c", NULL};
    static const int wanted[] = {'?', 1, 'a', 'b', 'b', 3, -1};
    opterr = 0;
    for (int n = 0; n < 7; n++) {
        int got = getopt_long(11, words, "ab:c", longs, NULL);
        CHECK(got == wanted[n]);
        if (n == 3)
            CHECK(strcmp(optarg, "-bc") == 0);
        n += n == 3;
    }
    CHECK(optind == 8 && strcmp(words[8], "file") == 0 && strcmp(words[9], "other") == 0 && strcmp(words[10], "-c") == 0);
}
static void times(void)
{
    struct tm tm = {0};
    CHECK(!strptime("25:00", "%H:%M", &tm) && !strptime("13", "%m", &tm));
    CHECK(strptime("12:30 am", "%I:%M %p", &tm) && tm.tm_hour == 0 && strptime("2024-02-29T23:59:60", "%Y-%m-%dT%T", &tm) && tm.tm_yday == 59 && tm.tm_wday == 4);
}
int main(void)
{
    text();
    variables();
    files();
    addresses();
    threads();
    options();
    times();
    puts("right");
    fflush(stdout);
    dup2(1, 2);
    errno = EDQUOT;
    perror("perror");
    return 0;
}
