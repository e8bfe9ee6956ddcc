/* A host in C, of tests/target/memory_shared_behind_a_segment.c, and the hostile maker of its program: one more program header has a page of data wherever
   it likes, so that the memory that both are to share would come to lie behind it: over the stack, over the guard zone, over what the host has there. */
#include <elf.h>
#include <fault_domain.h>

enum { KIB = 1 << 10, MIB = 1 << 20, GUARD = 64 * KIB };
#define SEGMENT_END 0x1c000000ul
static int wrong;
static void hold(int condition, const char *what, unsigned long where)
{
    if (!condition)
        printf("not so: %s (%#lx)\n", what, where), wrong++;
}
static char program[1 << 20];
static size_t bytes;

/* Adds a page of data at `offset` of the segment, or takes that away. */
static void add(unsigned long offset)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)program;
    Elf64_Phdr *parts = (Elf64_Phdr *)(program + header->e_phoff);
    static unsigned count;
    if (!count)
        count = header->e_phnum;
    /* Behind the table there is nothing before the first part's page. */
    hold(parts[0].p_offset >= header->e_phoff + (count + 1) * sizeof *parts, "there is room for a header", count);
    parts[count] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = offset, .p_memsz = 4 * KIB};
    header->e_phnum = count + (offset != 0);
}
/* Pages that the host can have from `at` on. */
static unsigned long take(char *at)
{
    unsigned long n = 0;
    while (page_map(get_asid(), at + n * 4 * KIB, NULL, PAGE_READ | PAGE_WRITE) == 0)
        n++;
    return n;
}
static void give_back(char *at, unsigned long pages)
{
    while (pages--)
        page_unmap(get_asid(), at + pages * 4 * KIB);
}
/* What is mapped for a fault domain that memory ends for is free again. */
static void memory_ends(void)
{
    enum { LEFT = 2 * MIB / (4 * KIB) };
    char *first = (char *)0x1d000000;
    unsigned long all = take(first);
    hold(all > LEFT, "there is memory", all);
    give_back(first + (all - LEFT) * 4 * KIB, LEFT);
    int result = fault_domain_load(program, bytes, 1, 16 * MIB, NULL);
    hold(result == -ENOMEM, fault_domain_why(), result);
    unsigned long again = take(first + (all - LEFT) * 4 * KIB);
    hold(again >= LEFT, "what was mapped for it is free again", again);
    give_back(first, all - LEFT + again);
}
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || !(bytes = fread(program, 1, sizeof program, file)))
        return perror("the program"), 1;
    /* The host's own memory, behind the segment and its guard zone. */
    char *own = (char *)(SEGMENT_END + 4 * GUARD);
    hold(page_map(get_asid(), own, NULL, PAGE_READ | PAGE_WRITE) == 0, "a page of the host's", (word)own);
    strcpy(own, "the host's");
    /* Behind the last part, where a part may be at the highest, and where there is just no room for what is shared. */
    static const unsigned long places[] = {0x3fef000, 0x3fee000, 0x3fdf000, 0x3fe0000 - 4 * KIB, 0x3f00000, 0x3ee0000};
    for (unsigned n = 0; n < sizeof places / sizeof *places; n++)
        for (size_t size = 4 * KIB; size <= 32 * MIB; size *= 8) {
            char *memory = NULL;
            add(places[n]);
            int result = fault_domain_load(program, bytes, 1, size, (void **)&memory);
            hold(!strcmp(own, "the host's"), "the host's own is as it was", places[n]);
            /* Its stack of 64 KiB begins at the guard zone. */
            int room = places[n] + 4 * KIB + size <= 0x3fe0000 - 4 * KIB;
            hold(result == (room ? 0 : -EINVAL), room ? "what has room is loaded" : "what has no room is refused", places[n]);
            if (!room)
                hold(strstr(fault_domain_why(), "no room") != NULL, fault_domain_why(), size);
            if (result == 0) {
                hold(fault_domain_call(0, 0, 0, 0, 0, 0, 0) == -EDEAD, "who walks out of its stack has a fault", places[n]);
                hold(!strcmp(own, "the host's"), "and has written nothing of the host's", places[n]);
            }
        }
    add(0);
    hold(fault_domain_load(program, bytes, 1, MIB, NULL) == 0, "one as it should be is loaded", 0);
    memory_ends();
    hold(fault_domain_load(program, bytes, 1, 4 * KIB, NULL) == 0, "and is again", 0);
    if (!wrong)
        printf("all holds\n");
    return wrong != 0;
}
