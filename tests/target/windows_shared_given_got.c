// expect stdout shared both ways: callee caller
// expect stdout shared again by the callee's child: grandchild
// expect stdout given: sum 3, the caller's page is gone: 14
// expect stdout got into a hole: 42 first second
// expect stdout got in the place of other pages: 42 first second
// expect stdout floating point is as it was: 3.25
// expect stdout memory is as it was
/* `S` shares pages for good, `>` moves them to the server, `<` moves the server's to the caller. */
#include <pebble.h>
#include <stdlib.h>
static char *shared;
static word share(char *pages, long bytes)
{
    shared = pages;
    strcpy(pages, "callee");
    return bytes;
}
static word look(void)
{
    int equal = strcmp(shared + 100, "caller") == 0, status;
    int child = domain_fork(0);
    if (child == 0) {
        strcpy(shared + 200, "grandchild");
        exit(0);
    }
    domain_wait(child, &status);
    return equal;
}
static word give(char *pages, long bytes)
{
    word sum = pages[0] + pages[bytes - 1];
    for (long n = 0; n < bytes; n += 4096)
        if (page_unmap(get_asid(), pages + n))
            return -1;
    return sum;
}
static word get(char *pages, long bytes)
{
    strcpy(pages, "first");
    strcpy(pages + bytes - 4096, "second");
    return 42;
}
static word info(int what) { return invoke_portal(portal_open("memory.info"), (word)what, 0l); }
static char pages[16384] __attribute__((aligned(4096)));
static void run(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        if (portal_register("app.share", "nmSi", share, 0, 2) || portal_register("app.look", "nm", look, 0, 0)
            || portal_register("app.give", "np>i", give, 0, 0) || portal_register("app.get", "nf<i", get, 0, 0))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    invoke_portal(portal_open("app.share"), pages, 4096l);
    strcpy(pages + 100, "caller");
    word looked = invoke_portal(portal_open("app.look"));
    printf("shared both ways: %s %s\n", pages, looked == 1 ? pages + 100 : "?");
    printf("shared again by the callee's child: %s\n", pages + 200);
    char *own = (char *)0x18000000;
    page_map(get_asid(), own, 0, PAGE_READ | PAGE_WRITE);
    page_map(get_asid(), own + 4096, 0, PAGE_READ | PAGE_WRITE);
    own[0] = 1, own[8191] = 2;
    word sum = invoke_portal(portal_open("app.give"), own, 8192l);
    printf("given: sum %ld, the caller's page is gone: %d\n", sum, -page_unmap(get_asid(), own));
    double half = 1.5 + (sum == 3 ? 0.125 : 0);
    int portal = portal_open("app.get");
    word got = invoke_portal(portal, own, 8192l);
    printf("got into a hole: %ld %s %s\n", got, own, own + 4096);
    got = invoke_portal(portal, pages + 4096, 12288l);
    printf("got in the place of other pages: %ld %s %s\n", got, pages + 4096, pages + 12288);
    printf("floating point is as it was: %.2f\n", half * 2);
    page_unmap(get_asid(), own), page_unmap(get_asid(), own + 4096);
    domain_kill(server);
    domain_wait(server, &status);
}
int main(void)
{
    int status;
    word before = info(1) - info(3);
    int child = domain_fork(0);
    if (child == 0) {
        run();
        exit(0);
    }
    domain_wait(child, &status);
    /* What the first forks and the first calls of threads have cost stays. */
    fflush(stdout);
    for (int n = 0; n < 5; n++) {
        before = info(1) - info(3);
        child = domain_fork(0);
        if (child == 0) {
            freopen("/dev/null", "w", stdout);
            run();
            exit(0);
        }
        domain_wait(child, &status);
    }
    yield();
    printf("memory is as it was%s\n", info(1) - info(3) == before ? "" : ", but not quite");
    return status;
}
