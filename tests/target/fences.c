// expect stdout every page is what it must be
// timeout 240
// on strict
/* All that changes a page table under a translation that has been used: a copy at the first write, a window on a shared page, a page
   replaced, given, got and shared, a stack and a domain that end, pages that a domain of protection was shown, a number of a domain that is given out
   again. After each, what is
   there is looked at by who has used the old translation. */
#include <pebble.h>

enum { PAGE = 4096, NUMBERS = 540, PAGES = 8 };
static _Alignas(4096) volatile unsigned char pages[PAGES][PAGE];
static int ready, go, failures;

static void expect(const char *what, long got, long wanted)
{
    if (got != wanted) {
        printf("%s: %ld, not %ld\n", what, got, wanted);
        failures++;
    }
}
static void fill(int first)
{
    for (int n = 0; n < PAGES; n++)
        pages[n][0] = first + n;
}
static long sum(void)
{
    long sum = 0;
    for (int n = 0; n < PAGES; n++)
        sum += pages[n][0];
    return sum;
}
/* "npwr": adds one to the byte behind the first window, and returns that behind the second. */
static word serve(volatile unsigned char *written, volatile unsigned char *read)
{
    written[0]++;
    return read[0];
}
/* "npWi": the same for each page of a buffer. */
static word serve_all(volatile unsigned char *buffer, word bytes)
{
    for (word at = 0; at < bytes; at += PAGE)
        buffer[at]++;
    return buffer[0];
}
/* "np>i" and "npSi": what the first byte was, which is changed. */
static word take(volatile unsigned char *given, word bytes)
{
    (void)bytes;
    return given[0]++;
}
/* The same, but the pages go back to nobody. */
static word drop(volatile unsigned char *given, word bytes)
{
    word first = given[0];
    for (word at = 0; at < bytes; at += PAGE)
        page_unmap(get_asid(), (void *)(given + at));
    return first;
}
/* "np<i": fills new pages. */
static word get(volatile unsigned char *made, word bytes)
{
    for (word at = 0; at < bytes; at += PAGE)
        made[at] = 70 + at / PAGE;
    return 0;
}
static word pager(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & -PAGE), (void *)pages[0], PAGE_READ | PAGE_WRITE);
}
static void server(void)
{
    portal_register("app.serve", "npwr", serve, 0, 2);
    portal_register("app.all", "npWi", serve_all, 0, 2);
    portal_register("app.take", "np>i", take, 0, 2);
    portal_register("app.share", "npSi", take, 0, 2);
    portal_register("app.drop", "np>i", drop, 0, 2);
    portal_register("app.get", "np<i", get, 0, 2);
    sem_post(ready);
    sem_wait(sem_create(0));
}
static void copies(void)
{
    int status;
    fill(1);
    int child = domain_fork(0);
    if (child == 0) {
        long before = sum();
        fill(11);
        exit(before * 100 + sum() - 3600);
    }
    long before = sum();
    fill(21);
    expect("the parent's pages before", before, 36);
    expect("the parent's pages", sum(), 196);
    domain_wait(child, &status);
    expect("the child's pages", status, 116);
}
static void windows(void)
{
    int serve_portal = portal_open("app.serve"), all = portal_open("app.all"), status;
    fill(1);
    for (int round = 0; round < 3; round++) {
        /* The pages are shared with the child from now on, and read. */
        int child = domain_fork(0);
        if (child == 0) {
            sem_wait(go);
            exit(sum());
        }
        long before = sum();
        expect("what a window shows", invoke_portal(serve_portal, pages[0], pages[1]), pages[1][0]);
        expect("windows on all pages", invoke_portal(all, pages[2], (word)(4 * PAGE)), pages[2][0]);
        expect("the pages behind the windows", sum(), before + 5);
        sem_post(go);
        domain_wait(child, &status);
        expect("the child's pages", status, before);
    }
}
static void replaced(void)
{
    fill(1);
    expect("before", sum(), 36);
    expect("page_map", page_map(get_asid(), (void *)pages[0], (void *)pages[7], PAGE_READ | PAGE_WRITE), 0);
    expect("a page replaced by a copy", pages[0][0], 8);
    pages[7][0] = 9;
    expect("the copy", pages[0][0], 8);
    expect("page_map", page_map(get_asid(), (void *)pages[1], 0, PAGE_READ | PAGE_WRITE), 0);
    expect("a page replaced by zeros", pages[1][0], 0);
    expect("page_unmap", page_unmap(get_asid(), (void *)pages[2]), 0);
    expect("page_map", page_map(get_asid(), (void *)pages[2], 0, PAGE_READ | PAGE_WRITE), 0);
    expect("a page unmapped and mapped", pages[2][0], 0);
    volatile unsigned char *missing = (volatile unsigned char *)0x18000000;
    expect("pager_register", pager_register(get_asid(), (void *)missing, PAGE, pager), 0);
    expect("a page that a pager made", missing[0], 8);
    expect("pager_unregister", pager_unregister(get_asid(), (void *)missing), 0);
    expect("page_unmap", page_unmap(get_asid(), (void *)missing), 0);
}
static void transfers(void)
{
    int give = portal_open("app.take"), share = portal_open("app.share"), got = portal_open("app.get");
    int dropped = portal_open("app.drop");
    for (int round = 0; round < 3; round++) {
        for (int n = 0; n < 4; n++)
            page_map(get_asid(), (void *)pages[n], 0, PAGE_READ | PAGE_WRITE), pages[n][0] = 30 + n;
        expect("given", invoke_portal(round == 1 ? dropped : give, pages[0], (word)(2 * PAGE)), 30);
        for (int n = 0; n < 2; n++)
            expect("page_map where one was", page_map(get_asid(), (void *)pages[n], 0, PAGE_READ | PAGE_WRITE), 0);
        expect("a page where another was", pages[0][0], 0);
        expect("got", invoke_portal(got, pages[2], (word)(2 * PAGE)), 0);
        expect("pages got", pages[2][0] * 256 + pages[3][0], 70 * 256 + 71);
        expect("shared", invoke_portal(share, pages[2], (word)PAGE), 70);
        expect("a page shared", pages[2][0], 71);
        /* It can not be given any more. */
        expect("given what is shared", invoke_portal(give, pages[2], (word)(2 * PAGE)), -EFAULT);
    }
}
static void in_a_thread(void *argument)
{
    volatile unsigned char deep[16 * 1024];
    for (unsigned n = 0; n < sizeof deep; n += PAGE)
        deep[n] = (word)argument;
    invoke_portal(portal_open("app.serve"), pages[4], pages[5]);
}
static void threads(void)
{
    for (int round = 0; round < 4; round++) {
        int made[4];
        for (int n = 0; n < 4; n++)
            made[n] = thread_create(in_a_thread, (void *)(word)n, -1);
        for (int n = 0; n < 4; n++)
            thread_join(made[n]);
    }
}
/* In a domain of protection: only its argument. */
static word looks(const volatile unsigned char *page)
{
    return *page;
}
DP_MODULE(part, looks)
/* Whoever replaces a page hides it: it is shown again. */
static word seen_again(int dp, int page)
{
    expect("shown again", dp_make_visible(dp, (void *)pages[page], PAGE, PAGE_READ), 0);
    return dp_call(dp, part, 0, 0, (word)pages[page]);
}
static word seen(int dp, int page)
{
    return dp_call(dp, part, 0, 0, (word)pages[page]);
}
static void parts(void)
{
    for (int round = 0; round < 3; round++) {
        int dp = dp_create("part");
        expect("a domain of protection", dp < 0 || dp_show_program(dp) || dp_register(dp, part, part_procedures, 1)
               || dp_make_visible(dp, (void *)pages, 4 * PAGE, PAGE_READ), 0);
        fill(50 + round);
        for (int n = 0; n < 4; n++)
            expect("a page that is shown", seen(dp, n), 50 + round + n);
        expect("page_map", page_map(get_asid(), (void *)pages[0], 0, PAGE_READ | PAGE_WRITE), 0);
        expect("a page shown and replaced by zeros", seen_again(dp, 0), 0);
        expect("page_map", page_map(get_asid(), (void *)pages[1], (void *)pages[7], PAGE_READ | PAGE_WRITE), 0);
        expect("a page shown and replaced by a copy", seen_again(dp, 1), 57 + round);
        int child = domain_fork(0), status;
        if (child == 0)
            _Exit(0);
        domain_wait(child, &status);
        pages[2][0] = 90;
        expect("a page shown and copied at the first write", seen(dp, 2), 90);
        expect("given", invoke_portal(portal_open("app.take"), pages[3], (word)PAGE), 53 + round);
        expect("page_map", page_map(get_asid(), (void *)pages[3], 0, PAGE_READ | PAGE_WRITE), 0);
        expect("a page shown, given and there again", seen_again(dp, 3), 0);
        /* What takes a page from it ends it at the next access; also one that it saw in a frame which another has still. */
        child = domain_fork(0);
        if (child == 0) {
            sem_wait(go);
            _Exit(0);
        }
        expect("a page", seen(dp, 0), 0);
        expect("page_unmap", page_unmap(get_asid(), (void *)pages[5]), 0);
        expect("what is shared with a copy", pages[4][0], 54 + round);
        expect("given with what is not there", invoke_portal(portal_open("app.take"), pages[4], (word)(2 * PAGE)), -EFAULT);
        expect("what was not given", pages[4][0], 54 + round);
        expect("page_map", page_map(get_asid(), (void *)pages[5], 0, PAGE_READ | PAGE_WRITE), 0);
        if (round == 0)
            expect("hidden", dp_make_invisible(dp, (void *)pages[0], PAGE), 0);
        else if (round == 1)
            expect("given", invoke_portal(portal_open("app.take"), pages[0], (word)PAGE), 0);
        else
            expect("got", invoke_portal(portal_open("app.get"), pages[0], (word)PAGE), 0);
        expect("a page that was taken from it", seen(dp, 0), -EDEAD);
        sem_post(go);
        domain_wait(child, &status);
        dp_destroy(dp);
        expect("page_map", page_map(get_asid(), (void *)pages[0], 0, PAGE_READ | PAGE_WRITE), 0);
    }
}
static void numbers(void)
{
    int status;
    for (int n = 0; n < NUMBERS; n++) {
        fill(n % 64);
        int child = domain_fork(0);
        if (child == 0) {
            pages[0][0]++;
            exit(sum() == 8 * (n % 64) + 29 ? 0 : 1);
        }
        domain_wait(child, &status);
        expect("a child's pages", status, 0);
    }
}
int main(void)
{
    ready = sem_create(0), go = sem_create(0);
    int child = domain_fork(0), status;
    if (child == 0)
        server();
    sem_wait(ready);
    copies();
    windows();
    replaced();
    transfers();
    threads();
    parts();
    numbers();
    domain_kill(child);
    domain_wait(child, &status);
    if (failures)
        return 1;
    printf("every page is what it must be\n");
    return 0;
}
