/* A host in C, of tests/target/host_maps_in_a_segment.c: it maps what it can, by all ways, before and after it loads untrusted code. Whatever it does, nothing
   of its own lies where that code writes. */
#include <fault_domain.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OVERWRITE, PEEK };
enum { GUARD = 0x10000 };
#define SEGMENT     0x18000000ul
#define SEGMENT_END 0x1c000000ul
static int wrong;
static void hold(int condition, const char *what)
{
    if (!condition)
        printf("not so: %s\n", what), wrong++;
}
static char program[1 << 20];
static size_t bytes;
static char text[2 * 4096] = "the host's own data";

static int load(int loads)
{
    int result = fault_domain_load(program, bytes, loads, 4096, NULL);
    if (result < 0 && result != -EEXIST)
        printf("load: %s: %s\n", pebble_strerror(result), fault_domain_why()), wrong++;
    return result;
}
static word mapped(unsigned long at, const void *source)
{
    return page_map(get_asid(), (void *)at, source, PAGE_READ | PAGE_WRITE);
}
/* Something of the host's lies there already: no fault domain is laid out around it. */
static void before(void)
{
    static const unsigned long places[] = {SEGMENT - 2 * GUARD, SEGMENT, SEGMENT + 0x1000000, SEGMENT_END - 4096, SEGMENT_END + GUARD - 4096};
    for (unsigned n = 0; n < sizeof places / sizeof *places; n++) {
        hold(mapped(places[n], NULL) == 0, "a page may be anywhere before there is a fault domain");
        hold(load(0) == -EEXIST, "a segment that something is in is refused");
        hold(page_unmap(get_asid(), (void *)places[n]) == 0, "and it can be taken away");
    }
}
static void after(char *map)
{
    static char page[4096] __attribute__((aligned(4096))) = "a copy of the host's";
    for (unsigned long at = SEGMENT - 2 * GUARD; at < SEGMENT_END + GUARD; at += at < SEGMENT + 4 * GUARD || at >= SEGMENT_END - 2 * GUARD ? 4096 : 0x10000) {
        if (mapped(at, NULL) != -EACCESS || mapped(at, page) != -EACCESS || mapped(at, map) != -EACCESS)
            printf("something is mapped at %#lx\n", at), wrong++;
    }
    /* All memory that there is, until there is no more or a segment is in the way. */
    unsigned long end = 0, last = 0;
    word at;
    while ((at = invoke_portal(21, 16)) > 0) {
        last = at;
        end = at + 16 * 4096;
        if (end > SEGMENT - 2 * GUARD && at < (word)(SEGMENT_END + GUARD)) {
            hold(0, "the heap grows into the segment");
            break;
        }
    }
    hold(last && at == -ENOMEM, "the heap has an end");
}
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || !(bytes = fread(program, 1, sizeof program, file)))
        return perror("the program"), 1;
    before();
    int fd = open("/own", O_CREAT | O_RDWR | O_TRUNC, 0600);
    hold(fd >= 0 && write(fd, text, sizeof text) == sizeof text, "a file");
    char *first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    hold(first != MAP_FAILED, "it is mapped");
    first[64] = 'w'; /* a page of its own by now */
    if (load(0) < 0)
        return 1;
    char *second = mmap(NULL, sizeof text, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    hold(second != MAP_FAILED, "it is mapped again");
    second[64] = 'w';
    char *large = malloc(1 << 20);
    hold(large != NULL, "memory");
    strcpy(large, text);
    after(second);
    char *const all[] = {first, second, large, text};
    for (unsigned n = 0; n < 4; n++) {
        word result = fault_domain_call(OVERWRITE, (word)all[n], 0, 0, 0, 0, 0);
        if (strcmp(all[n], "the host's own data"))
            printf("at %p it has \"%s\" (%ld)\n", (void *)all[n], all[n], result), wrong++;
        /* What it wrote there was its own, or a fault. */
        hold(fault_domain_load(program, bytes, 0, 4096, NULL) == 0, "it is loaded again");
    }
    if (!wrong)
        printf("all holds\n");
    return wrong != 0;
}
