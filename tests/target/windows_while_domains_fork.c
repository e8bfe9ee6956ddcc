// expect stdout 800 buffers right, 100 pages given and got, 40 children right
/* Windows, pages that change hands, forks and replaced pages of one domain at the same time: each sees what it should. */
#include <pebble.h>
#include <stdlib.h>

#define ROUNDS 200
static word fill(unsigned char *buffer, long bytes, word with)
{
    memset(buffer, with, bytes / 2);
    yield();
    memset(buffer + bytes / 2, with, bytes - bytes / 2);
    return bytes;
}
static char *kept;
static word take(char *pages, long bytes) { return (kept = pages)[0]; }
static word give(char *pages, long bytes)
{
    pages[0] = kept[0] + 1;
    return page_unmap(get_asid(), kept);
}
static int right, moved;
static void fill_often(void *portal)
{
    unsigned char *buffer = malloc(20000);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned char with = i * 7 + (long)portal;
        if (invoke_portal((int)(long)portal, buffer + i, 15000l, (word)with) != 15000)
            exit(2);
        int all = 1;
        for (int n = 0; n < 15000; n++)
            all &= buffer[i + n] == with;
        __atomic_fetch_add(&right, all, __ATOMIC_RELAXED);
    }
}
static void move_often(void *unused)
{
    int to = portal_open("app.take"), from = portal_open("app.give");
    char *pages = aligned_alloc(4096, 4096);
    for (int i = 0; i < ROUNDS / 2; i++) {
        pages[0] = i;
        word first = invoke_portal(to, pages, 4096l);
        word result = invoke_portal(from, pages, 4096l);
        moved += (char)first == (char)i && result == 0 && pages[0] == (char)(i + 1);
    }
}
int main(void)
{
    int ready = sem_create(0), status, children = 0, threads[5];
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.fill", "nmWii", fill, 0, 6);
        portal_register("app.take", "nm>i", take, 0, 0);
        portal_register("app.give", "nm<i", give, 0, 0);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int portal = portal_open("app.fill");
    for (int i = 0; i < 4; i++)
        threads[i] = thread_create(fill_often, (void *)(long)portal, -1);
    threads[4] = thread_create(move_often, 0, -1);
    volatile long *own = (long *)0x18000000;
    for (int i = 0; i < 40; i++) {
        page_map(get_asid(), (void *)own, NULL, PAGE_READ | PAGE_WRITE);
        *own = i;
        int child = domain_fork(0);
        if (child == 0)
            exit(*own == i ? 0 : 1);
        *own = -1;
        domain_wait(child, &status);
        children += status == 0;
        yield();
    }
    for (int i = 0; i < 5; i++)
        thread_join(threads[i]);
    printf("%d buffers right, %d pages given and got, %d children right\n", right, moved, children);
    domain_kill(server);
    return domain_wait(server, &status);
}
