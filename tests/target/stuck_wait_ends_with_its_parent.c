// expect stdout the parent ended, and the wait of the first child: the other side died
// expect stdout the second waits on, which a brother may post: it was posted
// expect stdout and when that one has ended: the other side died
/* A semaphore of several domains is that of those of them which live. When the last but one ends, be it a child, the parent or a brother of whoever waits,
   that wait ends, too. */
#include <pebble.h>

static int never, brothers, said;

static void says(const char *what, int result)
{
    printf("%s: %s\n", what, result ? pebble_strerror(result) : "it was posted");
    fflush(stdout);
}
static void parent(void)
{
    int first = domain_fork(0);
    if (first == 0) {
        /* Nobody has it but these two. */
        int own = sem_wait(never);
        says("the parent ended, and the wait of the first child", own);
        sem_post(said);
        exit(0);
    }
    hrsleep(2000000);
    exit(0);
}
int main(void)
{
    int status;
    said = sem_create(0);
    int middle = domain_fork(0);
    if (middle == 0) {
        never = sem_create(0);
        parent();
    }
    domain_wait(middle, &status);
    sem_wait(said);
    middle = domain_fork(0);
    if (middle == 0) {
        brothers = sem_create(0);
        int one = domain_fork(0);
        if (one == 0) {
            says("the second waits on, which a brother may post", sem_wait(brothers));
            int result = sem_wait(brothers);
            says("and when that one has ended", result);
            sem_post(said);
            exit(0);
        }
        int other = domain_fork(0);
        if (other == 0) {
            hrsleep(20000000);
            sem_post(brothers);
            hrsleep(20000000);
            exit(0);
        }
        hrsleep(2000000);
        exit(0);
    }
    domain_wait(middle, &status);
    sem_wait(said);
    return 0;
}
