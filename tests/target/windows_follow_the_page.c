// expect stdout a page of zeros in its place: 0
// expect stdout nothing in its place: Bad address
// expect stdout another page in its place, twice: 7 7
// expect stdout read-only: Bad address, read: 9
// expect stdout in the child: 1, then 2; in the parent: 1, then 3
// expect stdout of the image: 5, replaced: 0
// expect stdout page 0: Bad address
// expect stdout 40 pages, each its own: 40
/* What a window shows is what the page is now: a page that was lent before and has been replaced, unmapped, made read-only, or
   copied by a fork since, is not shown as it was. */
#include <pebble.h>
static char page[4096] __attribute__((aligned(4096))), other[4096] __attribute__((aligned(4096)));
static char many[40][4096] __attribute__((aligned(4096)));
static const char image[4096] __attribute__((aligned(4096))) = {5};
static word first(volatile char *window) { return window[0]; }
int main(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        int never = sem_create(0);
        if (portal_register("app.read", "npr", first, 0, 1) || portal_register("app.write", "npw", first, 0, 1))
            exit(1);
        sem_post(ready);
        sem_wait(never);
        exit(0);
    }
    sem_wait(ready);
    int reads = portal_open("app.read"), writes = portal_open("app.write"), own = get_asid();

    page[0] = 7;
    invoke_portal(writes, page);
    page_map(own, page, NULL, PAGE_READ | PAGE_WRITE);
    printf("a page of zeros in its place: %ld\n", invoke_portal(writes, page));
    page_unmap(own, page);
    printf("nothing in its place: %s\n", pebble_strerror(invoke_portal(writes, page)));
    other[0] = 7;
    invoke_portal(writes, other);
    page_map(own, page, other, PAGE_READ | PAGE_WRITE);
    word here = invoke_portal(writes, page);
    printf("another page in its place, twice: %ld %ld\n", here, invoke_portal(writes, other));
    other[0] = 9;
    page_map(own, page, other, PAGE_READ);
    word written = invoke_portal(writes, page);
    printf("read-only: %s, read: %ld\n", pebble_strerror(written), invoke_portal(reads, page));

    other[0] = 1;
    invoke_portal(writes, other);
    int turn = sem_create(0), back = sem_create(0);
    int child = domain_fork(0);
    if (child == 0) {
        int before = invoke_portal(writes, other);
        other[0] = 2;
        int after = invoke_portal(writes, other);
        printf("in the child: %d, then %d; ", before, after);
        fflush(stdout);
        sem_post(turn);
        sem_wait(back);
        exit(invoke_portal(reads, other) != 2);
    }
    sem_wait(turn);
    word before = invoke_portal(writes, other);
    other[0] = 3;
    printf("in the parent: %ld, then %ld\n", before, invoke_portal(writes, other));
    sem_post(back);
    domain_wait(child, &status);
    if (status)
        return 1;

    word shown = invoke_portal(reads, image);
    page_map(own, (void *)image, NULL, PAGE_READ | PAGE_WRITE);
    printf("of the image: %ld, replaced: %ld\n", shown, invoke_portal(reads, image));

    /* Whichever page was lent and forgotten. */
    word zero = -EFAULT;
    for (int n = 0; n < 16; n++) {
        invoke_portal(writes, many[n]);
        page_map(own, many[n], NULL, PAGE_READ | PAGE_WRITE);
        if (zero == -EFAULT)
            zero = invoke_portal(reads, (word)8);
    }
    printf("page 0: %s\n", zero < 0 ? pebble_strerror(zero) : "shown");
    int right = 0;
    for (int n = 0; n < 40; n++)
        many[n][0] = n, invoke_portal(writes, many[n]);
    for (int n = 0; n < 40; n++)
        right += invoke_portal(n % 2 ? writes : reads, many[n]) == n;
    printf("40 pages, each its own: %d\n", right);
    domain_kill(server);
    domain_wait(server, &status);
    return 0;
}
