/* A vault that issues capabilities for its boxes, and two clients: one gets the right to read a box, and a right for one use of
   another, and passes the first on. `run keys &`, then `capabilities`, in the shell. */
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ = 1, WRITE = 2 };
static long boxes[2] = { 42, 43 };

/* Specification "nmik": what to do with the box that the capability stands for. */
static word open_box(word what, word cap)
{
    struct cap_info info;
    int error = cap_info(cap, &info);
    if (error)
        return error;
    if (info.issuer != get_asid() || (info.rights & what) != (unsigned long)what)
        return -EACCESS;
    return what & WRITE ? ++boxes[info.object - 1] : boxes[info.object - 1];
}
static word given[2];
/* Specification "nmkk", in a client: takes two capabilities. */
static word take(word one, word other)
{
    given[0] = one, given[1] = other;
    return 0;
}
int main(int argc, char **argv)
{
    int ready = sem_create(0), go = sem_create(0), end = sem_create(0), status;
    int error = portal_register("app.box", "nmik", open_box, 0, 2);
    if (error < 0) {
        fprintf(stderr, "app.box: %s\n", strerror(-error));
        return 1;
    }
    int client = domain_fork(0);
    if (client == 0) {
        portal_register("app.take", "nmkk", take, 0, 1);
        sem_post(ready);
        sem_wait(go);
        int box = portal_open("app.box");
        printf("read with the first: %ld\n", invoke_portal(box, (word)READ, (word)given[0]));
        printf("write with the first: %ld\n", invoke_portal(box, (word)WRITE, (word)given[0]));
        printf("write with the second: %ld, and again: %ld\n", invoke_portal(box, (word)(READ | WRITE), (word)given[1]),
               invoke_portal(box, (word)WRITE, (word)given[1]));
        printf("with a name of nobody's: %ld\n", invoke_portal(box, (word)READ, 12345l));
        fflush(stdout);
        sem_post(ready);
        sem_wait(end);
        printf("after the first was revoked: %ld\n", invoke_portal(box, (word)READ, (word)given[0]));
        exit(0);
    }
    sem_wait(ready);
    word first = cap_create(1, READ | WRITE, 0), second = cap_create(2, READ | WRITE, CAP_ONCE);
    word readable = cap_reduce(first, READ, 0);
    invoke_portal(portal_open("app.take"), (word)readable, (word)second);
    sem_post(go);
    sem_wait(ready);
    if (argc > 1)
        sleep(atoi(argv[1]));
    printf("revoked: %d\n", cap_revoke(first));
    fflush(stdout);
    sem_post(end);
    domain_wait(client, &status);
    return status;
}
