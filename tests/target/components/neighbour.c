/*
 * One of several components in one address space ("served-together"), which has another one of the same source as its neighbour. Its
 * arguments are their two names.
 */
#include "../../../apps/bench/bench.h"
#include <fcntl.h>
#include <unistd.h>

static const char *own, *other;
static _Alignas(64) char buffer[64];

static const char *of(const char *who, const char *what)
{
    static _Alignas(64) char name[64];
    snprintf(name, sizeof name, "%s.%s", who, what);
    return name;
}
static word add(word a, word b) { return a + b; }
/* What the neighbour's portal says. */
static word asked(const char *what, word a, word b)
{
    int portal = portal_open(of(other, what));
    if (portal < 0)
        return portal;
    word result = invoke_portal(portal, a, b);
    portal_close(portal);
    return result;
}
static word constant(word c, word a, word number) { return c * 100 + a * 10 + (number > 0); }
/* Through the neighbour's portal. */
static word ask(word a, word b) { return asked("add", a, b); }
static word ask_constant(word a) { return asked("constant", a, 0); }
/* The number that a portal of the neighbour's has: the system's tables have 512. */
static word number(void) { return portal_open(of(other, "add")); }
static word turn(const char *in, char *out)
{
    size_t length = strlen(in);
    for (size_t n = 0; n < length; n++)
        out[n] = in[length - 1 - n];
    out[length] = 0;
    return length;
}
/* What it is shown, it shows its neighbour. */
static word pass_on(const char *in, char *out) { return asked("turn", (word)in, (word)out); }
/* Several pages, from where the neighbour has them. */
static word sum(const unsigned char *bytes, word count)
{
    word all = 0;
    for (word n = 0; n < count; n++)
        all += bytes[n];
    return all;
}
static word ask_sum(word count)
{
    unsigned char *bytes = malloc(count);
    memset(bytes, 3, count);
    word all = asked("sum", (word)bytes, count);
    free(bytes);
    return all;
}
/* Each of the two calls the other, until one of them has had enough. */
static word nest(word depth)
{
    if (depth == 0)
        return 0;
    word result = asked("nest", depth - 1, 0);
    return result < 0 ? result : result + 1;
}
/* A portal of the neighbour's that takes nothing. */
static word relay(const char *what) { return asked(what, 0, 0); }
/* How many numbers lead somewhere, its own few and, of the others, those of the neighbour. */
static word numbers(void)
{
    word found = 0;
    for (int portal = 40; portal < 700; portal++)
        found += invoke_portal(portal, 0l, 0l, 0l, 0l, 0l, 0l) != -EPORTAL;
    return found;
}
static word show(word address) { return asked("turn", address, (word)buffer); }
/* The same, to be written; and several pages. */
static word show_out(word address) { return asked("turn", (word) "text", address); }
static word show_pages(word address, word count) { return asked("sum", address, count); }
static word open_name(const char *name)
{
    strncpy(buffer, name, sizeof buffer - 1);
    return portal_open(buffer);
}
static word provide(const char *name)
{
    strncpy(buffer, name, sizeof buffer - 1);
    return portal_register(buffer, "npii", add, 0, 0);
}
static word withdraw(const char *name)
{
    strncpy(buffer, name, sizeof buffer - 1);
    return portal_unregister(buffer);
}
static word fault(void)
{
    *(volatile int *)8 = 1;
    return 0;
}
/* The neighbour faults in a call of this one's, and answers when it is there again. */
static word ask_fault(void)
{
    int before = portal_open(of(other, "add"));
    word result = asked("fault", 0, 0);
    word old = invoke_portal(before, 1l, 2l);
    for (int n = 0; n < 1000; n++) {
        if (asked("add", 40, 2) == 42)
            return result == -EDEAD && old == -EDEAD ? 42 : result;
        hrsleep(500000);
    }
    return -1;
}
static word wait(word ticks) { return hrsleep(ticks), 1; }
static word loop(void)
{
    for (;;)
        ;
}
static word leave(word status) { exit(status); }
static word thread_ends(void) { thread_exit(); }
/* Writes a file and reads it back; how many of its bytes are right. */
static word file(void)
{
    static char text[64];
    snprintf(text, sizeof text, "of %s", own);
    int file = open(of("/tmp", own), O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (file < 0)
        return file;
    write(file, text, sizeof text);
    lseek(file, 0, SEEK_SET);
    char read_back[64] = "";
    read(file, read_back, sizeof read_back);
    close(file);
    return memcmp(text, read_back, sizeof text) == 0;
}
/* Opens files, and semaphores, and leaves them open. */
static word leave_open(void)
{
    for (int n = 0; n < 4; n++)
        if (open(of("/tmp", own), O_CREAT | O_RDWR, 0600) < 0 || sem_create(1) < 0)
            return -1;
    return 1;
}
/* Instructions of a call of the neighbour's portal, under icount. */
static word measure(word count)
{
    int portal = portal_open(of(other, "add"));
    return MEASURE(count, invoke_portal(portal, 40l, 2l));
}
static word address(void) { return (word)buffer; }

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    own = argv[1];
    other = argv[2];
    word seven = 7;
    static const struct { const char *name, *specification; word (*entry)(); } all[] = {
        {"add", "npii", add}, {"ask", "npii", ask}, {"ask_constant", "npi", ask_constant}, {"number", "np", number},
        {"turn", "nprw", turn}, {"pass_on", "nprw", pass_on}, {"sum", "npRi", sum}, {"ask_sum", "npi", ask_sum},
        {"nest", "npi", nest}, {"relay", "npr", relay}, {"numbers", "np", numbers}, {"wait", "npi", wait}, {"loop", "np", loop}, {"show", "npi", show}, {"show_out", "npi", show_out}, {"show_pages", "npii", show_pages}, {"open_name", "npr", open_name},
        {"provide", "npr", provide}, {"withdraw", "npr", withdraw}, {"fault", "np", fault}, {"ask_fault", "np", ask_fault},
        {"exit", "npi", leave}, {"thread_ends", "np", thread_ends}, {"file", "np", file}, {"leave_open", "np", leave_open},
        {"measure", "npi", measure}, {"address", "np", address},
    };
    portal_register(of(own, "constant"), "npci=", constant, &seven, 20);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (portal_register(of(own, all[n].name), all[n].specification, all[n].entry, 0, 0) < 0)
            return 3;
    thread_exit();
}
