/* A component that does to the memory of its caller what it is asked to. It is one as any other: whether it has an address space of its own,
   its manifest says. */
#include <pebble.h>
#include <pthread.h>

static const char *const words[] = {"nothing", "of", "this", "moves"};
static const char *const *pointers = words;
static word entries, (*volatile through)(word);
static __thread int own;
extern int nobody_defines_this __attribute__((weak));

static word sum(const word *numbers, word count)
{
    word total = 0;
    for (word n = 0; n < count; n++)
        total += numbers[n];
    return total;
}
struct node {
    struct node *next;
    word value;
};
static word list(const struct node *node)
{
    word total = 0;
    for (; node; node = node->next)
        total += node->value;
    return total;
}
static word reads(volatile word *at) { return *at; }
static word writes(volatile word *at, word value) { return *at = value; }
static word doubles(word n) { return 2 * n; }
static void *adds(void *to)
{
    own++;
    *(int *)to += own;
    return NULL;
}
/* Its own data, heap, threads, library: 0: all is as it is anywhere. */
static word itself(word round)
{
    char text[64];
    through = doubles;
    if (++entries != round || through(21) != 42 || &nobody_defines_this != NULL)
        return 1;
    if (strcmp(pointers[3], "moves") || snprintf(text, sizeof text, "%s %.3f %d", words[2], 0.125, 7) != 12)
        return 2;
    if (strcmp(text, "this 0.125 7"))
        return 3;
    char *memory = malloc(300000);
    if (!memory)
        return 4;
    memset(memory, 7, 300000);
    free(memory);
    pthread_t thread;
    int to = 0;
    if (pthread_create(&thread, NULL, adds, &to) || pthread_join(thread, NULL) || to != 1 || own != 0)
        return 5;
    FILE *file = fopen("/part", "w+");
    if (!file || fprintf(file, "%s", text) != 12 || fclose(file) || remove("/part"))
        return 6;
    return 0;
}
/* How many pages it gets. */
static word takes(word most)
{
    word pages = 0;
    while (pages < most && malloc(4000))
        pages++;
    return pages;
}
static word number(void) { return get_asid(); }
static word where(void) { return (word)&entries; }

int main(int argc, char **argv)
{
    const char *prefix = argc == 2 ? argv[1] : "part";
    char name[NAMELEN];
    const struct { const char *name, *spec; word (*entry)(); } all[] = {
        {"sum", "npii", (word (*)())sum},     {"list", "npi", (word (*)())list},   {"reads", "npi", (word (*)())reads}, {"writes", "npii", (word (*)())writes},
        {"itself", "npi", (word (*)())itself}, {"takes", "npi", (word (*)())takes}, {"number", "np", (word (*)())number},
        {"where", "np", (word (*)())where},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        snprintf(name, sizeof name, "app.%s.%s", prefix, all[n].name);
        int result = portal_register(name, all[n].spec, all[n].entry, NULL, n == 0);
        if (result < 0)
            return printf("%s: %s\n", name, pebble_strerror(result));
    }
    if (argc != 2 && (argc != 3 || strcmp(argv[2], "two")))
        return printf("%d arguments\n", argc);
    thread_exit();
}
