/* Who is called in `isolation.c`: the same source in each isolation. Its name is its first argument. */
#include "work.h"

static word three(word a, word b, word c)
{
    return a + b + c;
}
static word counted(word constant, word a, word b, word c)
{
    (void)constant;
    return a + b + c;
}
static word first(const volatile char *window, word bytes)
{
    return *window + bytes;
}
static word sum_64(const word *window)
{
    return sum(window, 64);
}
/* Its fault ends it. */
static word fails(void)
{
    return *(volatile word *)8;
}
static void provide(const char *own, const char *what, const char *specification, void *entry, const word *constants)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "answers.%s.%s", own, what);
    int done = portal_register(name, specification, entry, constants, 2);
    if (done < 0)
        exit(printf("%s: %s\n", name, pebble_strerror(done)));
}
int main(int argc, char **argv)
{
    const char *own = argc > 1 ? argv[1] : "";
    word constant = 1;
    /* Software portals have no window without a length, and all stacks of theirs are the callee's. */
    if (strcmp(own, "sfi")) {
        provide(own, "smciii", "smciii", counted, &constant);
        provide(own, "nmri", "nmri", first, NULL);
    }
    provide(own, "npiii", "npiii", three, NULL);
    provide(own, "64", "npr", sum_64, NULL);
    provide(own, "4096", "npRi", sum, NULL);
    provide(own, "pointer", "npii", sum, NULL);
    provide(own, "run", "npi", work, NULL);
    provide(own, "fails", "np", fails, NULL);
    thread_exit();
}
