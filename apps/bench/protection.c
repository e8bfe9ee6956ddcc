/* Domains of protection: a call with a pointer, beside one to another address space with and without a window; a page's first access by
   its task and by two of its domains; a list that is summed by another domain of the task, and by one in another address space, to which it
   is copied a page at a time. */
#include "bench.h"

enum { NODES = 10000, PAGE = 4096, PIECE = PAGE / sizeof(word), FAULTS = 32 };
struct node {
    struct node *next;
    word value;
};

/* The module. */
static word nothing(void) { return 0; }
static word first_and_last(const word *page) { return page[0] + page[PIECE - 1]; }
static __attribute__((noinline)) word sum_list(const struct node *node)
{
    word total = 0;
    for (; node; node = node->next)
        total += node->value;
    return total;
}
static word touch(volatile word *page) { return *page = 1; }
DP_MODULE(module, nothing, first_and_last, sum_list, touch)
enum { NOTHING, FIRST_AND_LAST, SUM_LIST, TOUCH };

/* The same in another address space. */
static word sum_piece(const word *values, word count)
{
    word total = 0;
    for (word n = 0; n < count; n++)
        total += values[n];
    return total;
}
static word page[PIECE] __attribute__((aligned(PAGE)));
static char list_pages[(NODES * sizeof(struct node) + PAGE - 1) / PAGE * PAGE] __attribute__((aligned(PAGE)));
static volatile word touched[FAULTS][PIECE] __attribute__((aligned(PAGE)));
static int repeated, summed, pointed;

static word sum_copied(const struct node *node)
{
    word total = 0;
    while (node) {
        word count = 0;
        for (; node && count < PIECE; node = node->next)
            page[count++] = node->value;
        total += invoke_portal(summed, page, count);
    }
    return total;
}
static int part(const char *name)
{
    int dp = dp_create(name);
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 2))
        exit(printf("no domain of protection: %s\n", pebble_strerror(dp)));
    return dp;
}
static unsigned long faults(int dp)
{
    unsigned long samples[FAULTS];
    for (int n = 0; n < FAULTS; n++) {
        unsigned long start = cycles();
        dp ? dp_call(dp, module, TOUCH, 0, touched[n]) : (touched[n][0] = 1);
        samples[n] = cycles() - start;
    }
    return median(samples, FAULTS);
}
static void made_and_ended(void)
{
    dp_destroy(part("short"));
}
int main(int argc, char **argv)
{
    repeated = repetitions(argc, argv);
    int stop = sem_create(0), ready = sem_create(0);
    int server = domain_fork(NULL);
    if (server == 0) {
        portal_register("app.nothing", "npiii", nothing, NULL, 1);
        portal_register("app.pointed", "npr", first_and_last, NULL, 0);
        portal_register("app.sum", "npri", sum_piece, NULL, 0);
        sem_post(ready);
        sem_wait(stop);
        _Exit(0);
    }
    sem_wait(ready);
    int other = open_or_exit("app.nothing");
    pointed = open_or_exit("app.pointed"), summed = open_or_exit("app.sum");
    struct node *nodes = (struct node *)list_pages;
    for (int n = 0; n < NODES; n++)
        nodes[n] = (struct node){n + 1 < NODES ? nodes + n + 1 : NULL, n};
    int dp = part("sums"), second = part("touches");
    if (dp_make_visible(dp, page, sizeof page, PAGE_READ | PAGE_WRITE) || dp_make_visible(dp, list_pages, sizeof list_pages, PAGE_READ))
        return 1;
    const struct node *list = nodes;
    word expected = (word)NODES * (NODES - 1) / 2;
    struct row row = {.table = "protection", .measure = "round-trip"};
    #define FIGURE(name, value) (row.operation = name, print_row(row, value))
    FIGURE("domain-empty", MEASURE(repeated, invoke_portal(other, 1l, 2l, 3l)));
    FIGURE("domain-window", MEASURE(repeated, invoke_portal(pointed, page)));
    FIGURE("dp-empty", MEASURE(repeated, dp_call(dp, module, NOTHING, 0)));
    FIGURE("dp-pointer", MEASURE(repeated, dp_call(dp, module, FIRST_AND_LAST, 0, page)));
    if (dp_call(dp, module, SUM_LIST, 0, list) != expected || sum_copied(list) != expected || sum_list(list) != expected)
        return 2;
    int few = repeated / 100 + 1;
    FIGURE("list-own", MEASURE(few, sum_list(list)));
    FIGURE("list-dp", MEASURE(few, dp_call(dp, module, SUM_LIST, 0, list)));
    FIGURE("list-copied", MEASURE(few, sum_copied(list)));
    dp_make_visible(dp, (void *)touched, sizeof touched / 2, PAGE_READ | PAGE_WRITE);
    dp_make_visible(second, (void *)touched, sizeof touched, PAGE_READ | PAGE_WRITE);
    dp_call(second, module, TOUCH, 0, touched[0]), dp_call(second, module, NOTHING, 0);
    dp_make_visible(dp, (void *)touched, sizeof touched, PAGE_READ | PAGE_WRITE);
    FIGURE("first-touch-dp", faults(dp));
    FIGURE("resident-touch-dp", faults(second));
    FIGURE("resident-again", faults(second));
    FIGURE("create-and-destroy", MEASURE(few, made_and_ended()));
    dp_destroy(dp), dp_destroy(second);
    sem_post(stop);
    domain_wait(server, NULL);
    return 0;
}
