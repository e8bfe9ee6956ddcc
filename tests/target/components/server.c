/*
 * A server that does nothing that depends on how it is kept apart: systems "served" and "served-sfi" have it.
 */
#include <pebble.h>

static int calls;
static const char *last_argument;

static word add(word a, word b)
{
    calls++;
    return a + b;
}
/* All that a portal inserts. */
static word letters(word constant, word own, word number, word thread, word caller, word time)
{
    (void)number;
    return constant == 77 && own == 5 && thread > 0 && caller > 0 && time > 0 ? caller : -1;
}
static word talk(const char *in, char *out)
{
    size_t length = strlen(in);
    for (size_t n = 0; n < length; n++)
        out[n] = in[length - 1 - n];
    out[length] = 0;
    return length;
}
/* Buffers of several pages. */
static word sum(const unsigned char *bytes, word count)
{
    word all = 0;
    for (word n = 0; n < count; n++)
        all += bytes[n];
    return all;
}
static word fill(char *bytes, word count, word with)
{
    memset(bytes, with, count);
    return count;
}
/* Calls the caller back, with what it was shown. */
static word pass_on(const char *in, word length)
{
    (void)length;
    return invoke_portal(portal_open("app.add"), (word)in[0], (word)in[1]);
}
static word argument(char *out)
{
    strcpy(out, last_argument);
    return calls;
}
static word allocate(word bytes)
{
    char *memory = malloc(bytes);
    if (!memory)
        return -ENOMEM;
    memset(memory, 1, bytes);
    word all = sum((unsigned char *)memory, bytes);
    free(memory);
    return all;
}
/* 0: for ever. */
static word wait(word ticks)
{
    if (ticks == 0)
        sem_wait(sem_create(0));
    hrsleep(ticks);
    return 1;
}
static word fault(word how)
{
    if (how == 0)
        *(volatile int *)8 = 1;
    return how == 1 ? ((word(*)(void))0x30)() : 0;
}
static word own_number(void) { return get_asid(); }
static word leave(word status) { exit(status); }
/* Its own thread; whoever called gets EDEAD. */
static word thread_ends(void) { thread_exit(); }

int main(int argc, char **argv)
{
    last_argument = argv[argc - 1];
    word seventy_seven = 77;
    portal_register("server.add", "npii", add, 0, 3);
    portal_register("server.letters", "npci=tah", letters, &seventy_seven, 0);
    portal_register("server.talk", "nprw", talk, 0, 0);
    portal_register("server.sum", "npRi", sum, 0, 0);
    portal_register("server.fill", "npWii", fill, 0, 0);
    portal_register("server.pass_on", "npri", pass_on, 0, 0);
    portal_register("server.argument", "npw", argument, 0, 0);
    portal_register("server.allocate", "npi", allocate, 0, 0);
    portal_register("server.wait", "npi", wait, 0, 0);
    portal_register("server.fault", "npi", fault, 0, 0);
    portal_register("server.own_number", "np", own_number, 0, 0);
    portal_register("server.exit", "npi", leave, 0, 0);
    portal_register("server.thread_ends", "np", thread_ends, 0, 0);
    printf("a name twice: %d\n", portal_register("server.add", "npii", add, 0, 0));
    printf("a name that is not allowed: %d\n", portal_register("other.add", "npii", add, 0, 0));
    printf("a letter that is none: %d at %d\n", -portal_register("server.x", "npi?", add, 0, 0) >= ESPEC,
           ESPEC_POSITION(portal_register("server.x", "npi?", add, 0, 0)));
    printf("a portal that is not allowed: %d\n", portal_open("clock.time"));
    fflush(stdout);
    thread_exit();
}
