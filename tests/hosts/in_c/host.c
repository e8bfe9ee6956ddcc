/* A host in C, of tests/target/fault_domain_of_a_c_program.c: calls what that offers, has it fault, and loads it again. */
#include <fault_domain.h>

enum { ADD, FILL, READ, FAULT, RECURSE, OPEN, LEAVE, FINDS, OPENS, MAY, NOWHERE, COUNT };
#define CALL(n, ...) CALL_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(n, a, b, c, d, e, f, ...) fault_domain_call(n, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), (word)(f))

static int wrong;
static void hold(int condition, const char *what)
{
    if (!condition)
        printf("not so: %s\n", what), wrong++;
}
static char program[1 << 20];
static size_t bytes;
static char own[64] = "the host's";

static void all(void)
{
    char *memory;
    hold(fault_domain_opens("app.* clock.time") == 0, "it may open some");
    int result = fault_domain_load(program, bytes, 0, 100, (void **)&memory);
    if (result < 0) {
        printf("%s: %s\n", pebble_strerror(result), fault_domain_why());
        wrong++;
        return;
    }
    errno = 4321;
    hold(CALL(ADD, 20, 22) == 42, "it adds");
    hold(CALL(FILL, memory, 100) == 0 && memory[0] == 'f' && memory[99] == 'f' && memory[100] == 0, "it writes what both have");
    hold(CALL(READ, own) == 't', "it reads what the host has, where its loads are free");
    hold(CALL(OPEN, 1) == -EPORTAL, "the host's portals are not its own");
    FILE *later = fopen("later", "w+");
    hold(later && fputs("the host's", later) >= 0 && fflush(later) == 0, "the host has a file");
    hold(CALL(FINDS, memory) == 0, "nor are those that the host opens later");
    hold(CALL(OPENS) == 0 && CALL(FINDS, memory) == 0, "what it opens is its own until it closes it");
    if (later)
        fclose(later);
    hold(CALL(MAY, "clock.time") >= 0 && CALL(MAY, "files.open") == -EACCESS && CALL(MAY, "console.write") == -EACCESS, "it opens nothing else");
    hold(CALL(NOWHERE) == -EFAULT && CALL(ADD, 1, 1) == 2, "a name that is not there is an error");
    hold(fault_domain_opens("files.open") == 0 && CALL(MAY, "files.open") == -EACCESS, "what is said is for the next one");
    hold(CALL(LEAVE, 77) == 77 && CALL(ADD, 1, 1) == 2, "an exit ends its call alone");
    hold(CALL(COUNT) == -ENOENT && fault_domain_call(-1ul, 0, 0, 0, 0, 0, 0) == -ENOENT, "what it does not offer is not called");
    hold(errno == 4321, "the host's thread has its variables");
    hold(!fault_domain_stopped(NULL), "it runs");
    struct fault_domain_stop stop;
    hold(CALL(FAULT) == -EDEAD && fault_domain_stopped(&stop) && stop.address == 0x18000008 && stop.pc >> 26 == 0x18000000 >> 26,
         "a fault ends it");
    hold(CALL(ADD, 1, 2) == -EDEAD, "and it stays so");
    hold(fault_domain_load(program, bytes, 0, 0, NULL) == 0 && CALL(ADD, 1, 2) == 3, "until it is loaded again");
    hold(CALL(MAY, "files.open") >= 0 && CALL(MAY, "clock.time") == -EACCESS && fault_domain_opens("") == 0, "it opens what was said then");
    /* At that place of the segment is its code. */
    hold(CALL(FILL, own, 10) == -EDEAD && !strcmp(own, "the host's"), "it does not write what the host has");
    hold(fault_domain_load(program, bytes, 0, 0, NULL) == 0, "and again");
    hold(CALL(MAY, "files.open") == -EACCESS, "and nothing where nothing was said");
    hold(CALL(RECURSE, 1) == -EDEAD && fault_domain_stopped(NULL), "its stack has an end");
}
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || !(bytes = fread(program, 1, sizeof program, file)))
        return perror("the program"), 1;
    hold(CALL(ADD, 1, 1) == -EDEAD, "nothing is called before it is loaded");
    all();
    hold(fault_domain_load(program, bytes, 1, 0, NULL) == -EINVAL && strstr(fault_domain_why(), "rule 9"), "loads that are free are refused");
    hold(CALL(ADD, 1, 1) == -EDEAD, "what was refused is not called");
    hold(fault_domain_load(program, 100, 0, 0, NULL) == -EINVAL, "half a file is refused");
    hold(fault_domain_load("no program", 10, 0, 0, NULL) == -EINVAL, "what is no program is refused");
    hold(fault_domain_load(program, bytes, 0, -1ul, NULL) == -EINVAL, "there is not so much memory");
    for (int n = 0; n < 100; n++)
        hold(fault_domain_load(program, bytes, 0, 5000, NULL) == 0 && CALL(ADD, n, 1) == n + 1, "it is loaded a hundred times");
    puts(wrong ? "wrong" : "all holds");
    return wrong;
}
