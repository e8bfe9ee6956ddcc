// expect stdout the copies wrote, allocated and ended
// timeout 60
// icount
/* Threads that are always in the middle of the C library (heap, a file, the list of exit functions) while others copy the domain: in a
   copy none of them goes on, so what they held must be free there. */
#include <pebble.h>

enum { COPIES = 20 };
static volatile int stop;

static void use_the_heap(void *argument)
{
    (void)argument;
    while (!stop) {
        char *volatile block = malloc(100);
        free(block);
    }
}
static void use_a_file(void *argument)
{
    (void)argument;
    while (!stop) {
        ungetc('x', stdin);
        getc(stdin);
    }
}
int main(void)
{
    int status;
    if (thread_create(use_the_heap, 0, -1) < 0 || thread_create(use_a_file, 0, -1) < 0)
        return 1;
    for (int n = 0; n < COPIES; n++) {
        /* So that the others are interrupted anywhere. */
        hrsleep(1000000 + n * 77777);
        int child = domain_fork(0);
        if (child == 0) {
            char *volatile block = malloc(n + 1);
            free(block);
            ungetc('x', stdin);
            getc(stdin);
            exit(7);
        }
        if (child < 0 || domain_wait(child, &status) < 0 || status != 7)
            return printf("copy %d: %d, status %d\n", n, child, status), 1;
    }
    stop = 1;
    printf("the copies wrote, allocated and ended\n");
    return 0;
}
