// expect stdout 200 children came and went in the sandbox
// expect stdout closed by one, open for the other: 3
// expect stdout a pipe ends with its writer: 0
// timeout 60
/* Portals that domains in a sandbox share go with the last of them that has them, and not before. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

#include "include/sandbox.h"

static void program(void)
{
    int status, inner, p[2], count = 0;
    char text[8] = "";
    close(open("a", O_RDWR | O_CREAT, 0644));
    for (int i = 0; i < 200; i++) {
        int fd = open("a", O_RDWR);
        if ((inner = domain_fork(NULL)) == 0) {
            /* Two more than it was given, and it closes none. */
            int more = open("a", O_RDONLY), copy = dup(fd);
            exit(more > 0 && copy > 0);
        }
        domain_wait(inner, &status);
        count += fd > 0 && status == 1;
        close(fd);
    }
    printf("%d children came and went in the sandbox\n", count);
    int fd = open("a", O_RDWR);
    write(fd, "abc", 3);
    lseek(fd, 0, SEEK_SET);
    if ((inner = domain_fork(NULL)) == 0)
        exit(close(fd));
    domain_wait(inner, &status);
    printf("closed by one, open for the other: %d\n", (int)read(fd, text, sizeof text));
    pipe(p);
    if ((inner = domain_fork(NULL)) == 0)
        for (;;)
            hrsleep(100000000);
    close(p[1]);
    domain_kill(inner);
    printf("a pipe ends with its writer: %d\n", (int)read(p[0], text, sizeof text));
}
int main(void)
{
    int status;
    portal_notify(opened);
    child = domain_fork(intercept);
    if (child == 0) {
        program();
        exit(0);
    }
    domain_wait(child, &status);
    return status;
}
