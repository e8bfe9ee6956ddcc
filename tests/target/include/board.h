/*
 * What the two domains of a watched call both know: the board, a page that they share, where the caller writes what it is about to
 * do and the server what it has seen; and the marks by which memory is told apart.
 */
#ifndef BOARD_H
#define BOARD_H
#include "registers.h"
#include <stdarg.h>

#define PAGE    4096l
#define LETTERS 6 /* of arguments, at most */
#define WINDOW  6 /* pages of the longest window: two of them and one more fit into a thread's slots */
#define CHANGED 3 /* pages of the longest transfer */

static const char plain[] = "ic=tahwrkd", with_length[] = "WRS><";

/* What one argument is about. */
struct part {
    word sent;          /* what the caller passes */
    word expected;      /* what the server must get, where that is known before */
    long offset, bytes; /* of memory: its place in its first page, its length */
    unsigned char seed; /* of the marks in its pages */
    word at;            /* the server's: where it has found it */
    int once;           /* the capability is for one use */
};
/* What the two ends of a call are to each other. */
struct ends {
    const char *name; /* in the caller's output */
    int same_domain, caller_trusted, server_trusted;
};
/* The page that both domains see. */
struct board {
    char spec[NAMELEN];
    int letters, caller;
    struct ends ends;
    word constants[6], result;
    struct part parts[LETTERS];
    struct registers entered; /* the server's */
    word callers_stack;       /* an address in the caller's stack, above all that belongs to the call */
    long entries;             /* times that it was entered */
    char failure[128];        /* the server's; empty: none */
};
static union {
    struct board board;
    char page[PAGE];
} own_board __attribute__((aligned(PAGE)));
static struct board *board = &own_board.board; /* in the server: where it sees the caller's */

static char windows[LETTERS][(WINDOW + 1) * PAGE] __attribute__((aligned(PAGE)));
static char shared[LETTERS][CHANGED * PAGE] __attribute__((aligned(PAGE)));
static char call_stack[8 * PAGE] __attribute__((aligned(PAGE)));
/* Pages that are given and got: between the heap and what others give. */
static char *given(int n) { return (char *)0x18000000 + n * CHANGED * PAGE; }
static char *got(int n) { return (char *)0x19000000 + n * CHANGED * PAGE; }

/* A word that belongs to this case and this use, and looks like no other. */
static unsigned long cases;
static unsigned long mixed(unsigned long use)
{
    unsigned long z = (cases * 64 + use + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Marks: the first and last byte of each page. Those of the server differ from the caller's. */
enum { CALLERS = 0, SERVERS = 0x55, CALLERS_AGAIN = 0xaa };
static unsigned char mark(unsigned char seed, long page, int last, int whose) { return (seed + 2 * page + last) ^ whose; }
static void put_marks(char *pages, long count, unsigned char seed, int whose)
{
    for (long n = 0; n < count; n++) {
        pages[n * PAGE] = mark(seed, n, 0, whose);
        pages[n * PAGE + PAGE - 1] = mark(seed, n, 1, whose);
    }
}
static int has_marks(const volatile char *pages, long count, unsigned char seed, int whose)
{
    for (long n = 0; n < count; n++)
        if ((unsigned char)pages[n * PAGE] != mark(seed, n, 0, whose)
            || (unsigned char)pages[n * PAGE + PAGE - 1] != mark(seed, n, 1, whose))
            return 0;
    return 1;
}
static long pages_of(const struct part *p) { return p->bytes == 0 ? 0 : (p->offset + p->bytes + PAGE - 1) / PAGE; }
/* The server is untrusted and in another domain: no floating-point state crosses, nor the thread pointer. */
static int is_into_untrusted(const struct ends *ends) { return !ends->same_domain && !ends->server_trusted; }
/* Floating-point state is put aside for the call. */
static int keeps_floating_apart(const struct board *b) { return is_into_untrusted(&b->ends) || b->spec[1] == 'f'; }
/* The server is trusted with s0 … s11: by `m`, but never an untrusted one by a trusted caller. */
static int trusts_with_registers(const struct board *b)
{
    return b->spec[1] == 'm' && !is_into_untrusted(&b->ends);
}
/* Service stacks, each in a stretch of its own, at whose end it is; trusted domains alone see them. */
#define SERVICE_STACKS  0x1040000000l
#define SERVICE_STRETCH 0x8000l
#define SERVICE_STACK   0x2000l
static word service_stack_top(int thread) { return SERVICE_STACKS + (thread + 1) * SERVICE_STRETCH; }
/* Where a domain's own part of the addresses ends; windows are behind it. */
#define OWN_END 0x40000000l
/* Where servers are entered from and return to. */
#define RETURN_PAGE 0x3ffff000l
static int is_window(char letter) { return strchr("rwRW", letter) != NULL; }
static int is_transfer(char letter) { return strchr("S><", letter) != NULL; }
#endif
