// expect stdout hidden
// timeout 60
// icount
/* A low program hides 512 MiB from a part of its own, again and again: where nothing is, and where the part has tables for all of it. A high thread that
   touches a new page waits for the memory manager no longer than for what others do in one turn. */
#include <pebble.h>
#include <stdlib.h>

enum { TRIES = 60, TABLES = 180, BOUND = 20000 };
#define FROM  0x10000ul
#define TO    0x20000000ul
#define APART 0x200000ul
static word nothing(void) { return 0; }
DP_MODULE(module, nothing)
static char *at;

/* The longest, in ticks. */
static unsigned long touches(void)
{
    unsigned long worst = 0;
    for (int n = 0; n < TRIES; n++, at += 4096) {
        hrsleep(300000 + rand() % 1000000);
        unsigned long long before = hrtime();
        *(volatile char *)at = 1;
        unsigned long took = hrtime() - before;
        worst = took > worst ? took : worst;
    }
    return worst;
}
static void hides(int has_tables)
{
    set_priority(3);
    int dp = dp_create("low"), result = dp < 0 ? dp : 0;
    for (int n = 0; has_tables && n < TABLES && result >= 0; n++) {
        char *page = (char *)(0x8000000 + n * APART);
        if ((result = page_map(get_asid(), page, NULL, PAGE_READ | PAGE_WRITE)) == 0 && (result = dp_make_visible(dp, page, 4096, PAGE_READ)) == 0)
            result = dp_make_invisible(dp, page, 4096);
    }
    while (result >= 0)
        result = dp_make_invisible(dp, (void *)FROM, TO - FROM);
    printf("%d: %s\n", has_tables, pebble_strerror(result));
    exit(1);
}
int main(void)
{
    at = (char *)(((word)malloc(4096 * 5 * TRIES) + 4095) & -4096);
    touches();
    for (int has_tables = 0; has_tables < 2; has_tables++) {
        int child = domain_fork(NULL);
        if (child == 0)
            hides(has_tables);
        hrsleep(100000000);
        unsigned long worst = touches();
        if (domain_kill(child) < 0)
            return 2;
        fprintf(stderr, "%lu\n", worst);
        if (worst > BOUND)
            return printf("%d: a first touch took %lu ticks\n", has_tables, worst), 1;
    }
    puts("hidden");
    return 0;
}
