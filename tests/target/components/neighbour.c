/*
 * A component that needs of everything when it is asked to work: what its neighbour has taken must not be missing here.
 */
#include <fcntl.h>
#include <pebble.h>
#include <unistd.h>

enum { THREADS = 8, SEMAPHORES = 8, PORTALS = 16, NAMES = 4, CHILDREN = 3, PAGES = 64 };
static int done;
static void thread(void *unused)
{
    (void)unused;
    sem_post(done);
}
static word nothing(word a)
{
    return a;
}
static word answers(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & ~4095), NULL, PAGE_READ | PAGE_WRITE);
}
static _Alignas(4096) char ranges[2][4096];
/* 0: all went well; else what could not be had. */
static word work(word round)
{
    int made[PORTALS];
    for (int n = 0; n < THREADS; n++)
        if (thread_create(thread, NULL, -1) < 0)
            return 1;
    for (int n = 0; n < THREADS; n++)
        if (sem_wait(done) < 0)
            return 2;
    for (int n = 0; n < SEMAPHORES; n++)
        if ((made[n] = sem_create(n)) < 0)
            return 3;
    for (int n = 0; n < SEMAPHORES; n++)
        sem_destroy(made[n]);
    for (int n = 0; n < PORTALS; n++)
        if ((made[n] = portal_open("console.write")) < 0)
            return 4;
    for (int n = 0; n < PORTALS; n++)
        portal_close(made[n]);
    char name[NAMELEN];
    for (int n = 0; n < NAMES; n++) {
        snprintf(name, sizeof name, "app.neighbour.%d", n);
        if (portal_register(name, "nmi", nothing, NULL, 1) < 0 || portal_unregister(name) < 0)
            return 5;
    }
    for (int n = 0; n < CHILDREN; n++) {
        int status = -1, child = domain_fork(NULL);
        if (child == 0)
            exit(n);
        if (child < 0)
            return 6;
        if (domain_wait(child, &status) < 0 || status != n)
            return 7;
    }
    char *memory = malloc(PAGES * 4096);
    if (memory == NULL)
        return 8;
    for (int n = 0; n < PAGES; n++)
        memory[n * 4096] = n;
    free(memory);
    if (pager_register(get_asid(), ranges[0], 4096, answers) < 0 || pager_unregister(get_asid(), ranges[0]) < 0)
        return 9;
    char file[] = "/neighbour", back[8];
    int descriptor = open(file, O_RDWR | O_CREAT | O_TRUNC);
    if (descriptor < 0 || write(descriptor, "honest", 6) != 6 || lseek(descriptor, 0, SEEK_SET) != 0)
        return 10;
    if (read(descriptor, back, sizeof back) != 6 || memcmp(back, "honest", 6) != 0 || close(descriptor) < 0)
        return 11;
    (void)round;
    return unlink(file) < 0 ? 12 : 0;
}
int main(void)
{
    done = sem_create(0);
    if (portal_register("app.work", "nmi", work, NULL, 2) < 0)
        return 1;
    thread_exit();
}
