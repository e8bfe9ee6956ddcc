/*
 * A component that needs of everything when it is asked to work: what its neighbour has taken must not be missing here.
 */
#include <fcntl.h>
#include <pebble.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 8, SEMAPHORES = 8, PORTALS = 16, NAMES = 4, CHILDREN = 3, PAGES = 64, FILES = 12, FILE_PAGES = 24, CAPABILITIES = 32 };
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
/* Files that are open at the same time, one of them of many pages, and a pipe. 0: all went well. */
static word keeps_files(void)
{
    static char page[4096], back[4096];
    int files[FILES], ends[2];
    for (int n = 0; n < FILES; n++)
        if ((files[n] = open("/neighbour.many", O_RDWR | O_CREAT, 0644)) < 0)
            return 20;
    for (int n = 0; n < FILE_PAGES; n++) {
        memset(page, n + 1, sizeof page);
        if (write(files[0], page, sizeof page) != sizeof page)
            return 21;
    }
    for (int n = 0; n < FILE_PAGES; n++)
        if (read(files[FILES - 1], back, sizeof back) != sizeof back || back[0] != n + 1 || back[4095] != n + 1)
            return 22;
    if (mkdir("/neighbour.directory", 0755) < 0 || rmdir("/neighbour.directory") < 0)
        return 23;
    if (pipe(ends) < 0 || write(ends[1], "honest", 6) != 6 || read(ends[0], back, 8) != 6 || memcmp(back, "honest", 6) != 0)
        return 24;
    for (int n = 0; n < FILES; n++)
        close(files[n]);
    close(ends[0]);
    close(ends[1]);
    return unlink("/neighbour.many") < 0 ? 25 : 0;
}
static word keeps_capabilities(void)
{
    word made[CAPABILITIES];
    struct cap_info info;
    for (int n = 0; n < CAPABILITIES; n++)
        if ((made[n] = cap_create(n, 3, 0)) < 0)
            return 30;
    for (int n = 0; n < CAPABILITIES; n++)
        if (cap_info(made[n], &info) < 0 || info.object != (unsigned long)n || cap_drop(made[n]) < 0)
            return 31;
    return 0;
}
/* Keeps the pages that a client shares. */
static word keep(char *shared, long bytes)
{
    (void)bytes;
    return (word)shared;
}
/* Pages shared with this domain by itself, which it lets go of again. */
static word receives_pages(void)
{
    static _Alignas(4096) char page[4096];
    int portal = portal_open("app.keep");
    for (int n = 0; n < 40; n++) {
        word there = invoke_portal(portal, page, (long)sizeof page);
        if (there <= 0)
            return 40;
        *(volatile char *)there = n;
        if (page[0] != n || page_unmap(get_asid(), (void *)there) < 0)
            return 41;
    }
    return portal_close(portal) < 0 ? 42 : 0;
}
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
    if (pager_register(get_asid(), ranges[0], 4096, answers) < 0)
        return 9;
    page_unmap(get_asid(), ranges[0]);
    *(volatile char *)ranges[0] = 1;
    if (pager_unregister(get_asid(), ranges[0]) < 0)
        return 9;
    char file[] = "/neighbour", back[8];
    int descriptor = open(file, O_RDWR | O_CREAT | O_TRUNC);
    if (descriptor < 0 || write(descriptor, "honest", 6) != 6 || lseek(descriptor, 0, SEEK_SET) != 0)
        return 10;
    if (read(descriptor, back, sizeof back) != 6 || memcmp(back, "honest", 6) != 0 || close(descriptor) < 0)
        return 11;
    (void)round;
    if (unlink(file) < 0)
        return 12;
    word missing = keeps_files();
    if (missing == 0)
        missing = keeps_capabilities();
    return missing ? missing : receives_pages();
}
/* Calls app.serve from a thread of its own, so that nobody else pays: what that says. */
static volatile word answer;
static void asker(void *argument)
{
    int portal = portal_open("app.serve");
    answer = invoke_portal(portal, (word)argument);
    portal_close(portal);
    sem_post(done);
}
static word ask(word argument)
{
    if (thread_create(asker, (void *)argument, -1) < 0)
        return -1;
    word waited = sem_timedwait(done, 2000000000);
    return waited < 0 ? waited : answer;
}
int main(void)
{
    done = sem_create(0);
    portal_register("app.ask", "npi", ask, NULL, 1);
    if (portal_register("app.keep", "nmSi", keep, NULL, 2) < 0 || portal_register("app.work", "nmi", work, NULL, 2) < 0)
        return 1;
    thread_exit();
}
