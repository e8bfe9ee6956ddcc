/* Who is called in `isolation.c`: the same source in each isolation. Its name is its first argument. */
#include <pebble.h>

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
static void provide(const char *own, const char *what, const char *specification, void *entry, const word *constants)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "answers.%s-%s", own, what);
    int done = portal_register(name, specification, entry, constants, 2);
    if (done < 0)
        exit(printf("%s: %s\n", name, pebble_strerror(done)));
}
int main(int argc, char **argv)
{
    const char *own = argc > 1 ? argv[1] : "";
    word constant = 1;
    provide(own, "smciii", "smciii", counted, &constant);
    provide(own, "npiii", "npiii", three, NULL);
    provide(own, "nmri", "nmri", first, NULL);
    thread_exit();
}
