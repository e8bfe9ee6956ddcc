/* A program and its children take all the sockets that they can, and then all the files of the disk: the limit is the account's, so no number of
   children gets more, and what a child had comes back with its end. Started by a test, with a card and a disk. */
#include <pebble.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/socket.h>
#include <netinet/in.h>

enum { CHILDREN = 14, SOCKETS = 128, FILES = 400 };
static int made, full;
static int open_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}
static int open_file(void)
{
    return open("disk/taken", O_RDWR | O_CREAT, 0600);
}
static int taken(int (*take)(void))
{
    int count = 0;
    while (count < 1000 && take() >= 0)
        count++;
    return count;
}
/* How many all got, and how many could be taken again when one had ended. */
static void exhaust(int (*take)(void), int *all, int *again)
{
    int children[CHILDREN], status;
    for (int n = 0; n < CHILDREN; n++) {
        children[n] = domain_fork(0);
        if (children[n] == 0) {
            for (int count = taken(take); count > 0; count--)
                sem_post(made);
            sem_post(full);
            hrsleep(~0ull >> 2);
        }
        sem_wait(full);
    }
    *all = *again = 0;
    while (sem_trywait(made) == 0)
        ++*all;
    *all += taken(take);
    domain_kill(children[0]);
    domain_wait(children[0], &status);
    /* What it had is collected by a thread of the service. */
    for (int tries = 0; *again == 0 && tries < 200; tries++) {
        hrsleep(10000000);
        *again = taken(take);
    }
    for (int n = 1; n < CHILDREN; n++) {
        domain_kill(children[n]);
        domain_wait(children[n], &status);
    }
}
int main(void)
{
    full = sem_create(0), made = sem_create(0);
    int before = open_file(), all, again, wrong = 0;
    for (int tries = 0; before < 0 && tries < 2000; tries++, before = open_file())
        hrsleep(10000000);
    close(before);
    int child = domain_fork(0);
    if (child == 0) {
        exhaust(open_file, &all, &again);
        printf("files: %d, and %d again\n", all, again);
        /* Those that the C library has open count, too. */
        exit(all < FILES - 20 || all > FILES || again < 1);
    }
    domain_wait(child, &wrong);
    exhaust(open_socket, &all, &again);
    printf("sockets: %d, and %d again\n", all, again);
    wrong |= all != SOCKETS || again < 1;
    printf("%s\n", wrong ? "wrong" : "taken and given back");
    return wrong;
}
