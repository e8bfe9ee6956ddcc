// expect stdout a file, read back: portals
// expect stdout its duplicate shares the position: als
// expect stdout closed: Bad file number
// expect stdout windows: HELLO is 5 long
// expect stdout through the pipe: from the child
// expect stdout the pipe ends: 0
// expect stdout the parent's descriptor is still open: 7
// expect stdout what the child wrote: by the child
// expect stdout a thread and its semaphores: 10
// expect stdout a portal to the child: 42
// expect stdout names: a.txt b.txt
// expect stdout the child's status: 3
/* Files, pipes, windows, semaphores, threads, domains and portals that are opened on the way: what a sandbox must not be
   seen by. sandbox_three_deep.c runs the same. */
#include <pebble.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char text[64] __attribute__((aligned(64))), answer[64] __attribute__((aligned(64)));

static void files(void)
{
    int fd = open("a.txt", O_RDWR | O_CREAT, 0644);
    write(fd, "portals", 7);
    lseek(fd, 0, SEEK_SET);
    memset(text, 0, sizeof text);
    read(fd, text, sizeof text);
    printf("a file, read back: %s\n", text);
    int copy = dup(fd);
    lseek(fd, 4, SEEK_SET);
    memset(text, 0, sizeof text);
    read(copy, text, sizeof text);
    printf("its duplicate shares the position: %s\n", text);
    close(copy);
    close(fd);
    if (read(fd, text, 1) < 0)
        printf("closed: %s\n", strerror(errno));
}
static word shout(const char *in, char *out)
{
    word length = 0;
    for (; in[length]; length++)
        out[length] = in[length] & ~32;
    return length;
}
/* The child opens a portal to its parent, and lends it two pages. */
static void windows(void)
{
    int status, child;
    portal_register("app.shout", "nprw", shout, NULL, 2);
    if ((child = domain_fork(NULL)) == 0) {
        int portal = portal_open("app.shout");
        strcpy(text, "hello");
        memset(answer, 0, sizeof answer);
        word length = invoke_portal(portal, text, answer);
        printf("windows: %s is %ld long\n", answer, length);
        exit(0);
    }
    domain_wait(child, &status);
    portal_unregister("app.shout");
}
/* Each side closes what it does not use, and a file that the child opens is its own. */
static void pipes(void)
{
    int p[2], status, child, kept = open("a.txt", O_RDONLY);
    pipe(p);
    if ((child = domain_fork(NULL)) == 0) {
        close(p[0]);
        close(kept);
        FILE *file = fopen("b.txt", "w");
        fputs("by the child", file);
        fclose(file);
        write(p[1], "from the child", 15);
        exit(0);
    }
    close(p[1]);
    read(p[0], text, sizeof text);
    printf("through the pipe: %s\n", text);
    domain_wait(child, &status);
    printf("the pipe ends: %d\n", (int)read(p[0], text, sizeof text));
    close(p[0]);
    printf("the parent's descriptor is still open: %d\n", (int)read(kept, text, sizeof text));
    close(kept);
    FILE *file = fopen("b.txt", "r");
    fgets(text, sizeof text, file);
    printf("what the child wrote: %s\n", text);
    fclose(file);
}
static void threads(void)
{
    static volatile int count;
    int ping = sem_create(0), pong = sem_create(0), thread = fork();
    if (thread == 0) {
        for (int i = 0; i < 5; i++) {
            sem_wait(ping);
            count++;
            sem_post(pong);
        }
        thread_exit();
    }
    for (int i = 0; i < 5; i++) {
        sem_post(ping);
        sem_wait(pong);
        count++;
    }
    thread_join(thread);
    printf("a thread and its semaphores: %d\n", count);
    sem_destroy(ping);
    sem_destroy(pong);
}
static word twice(word n)
{
    return 2 * n;
}
/* The child provides, and the parent calls. */
static void server(void)
{
    int status, child, ready = sem_create(0), done = sem_create(0);
    if ((child = domain_fork(NULL)) == 0) {
        portal_register("app.twice", "npi", twice, NULL, 2);
        sem_post(ready);
        sem_wait(done);
        exit(3);
    }
    sem_wait(ready);
    int portal = portal_open("app.twice");
    printf("a portal to the child: %ld\n", invoke_portal(portal, 21l));
    portal_close(portal);
    sem_post(done);
    DIR *directory = opendir("/");
    struct dirent *entry;
    printf("names:");
    while ((entry = readdir(directory)))
        printf(" %s", entry->d_name);
    printf("\n");
    closedir(directory);
    domain_wait(child, &status);
    printf("the child's status: %d\n", status);
}
int main(void)
{
    files();
    windows();
    pipes();
    threads();
    server();
    fflush(stdout);
    return 0;
}
