/*
 * Calls through portals, each compared with what the book says of the letters of its specification.
 *
 * What must come out is worked out here, letter by letter; nothing is taken from the system's own tables. This file is the
 * caller; the server is in server.h, the stubs of both in registers.h. Which specifications, and between which ends, the files that
 * include this one say.
 */
#ifndef ORACLE_H
#define ORACLE_H
#include "server.h"

static int prompt, clean;
static word capabilities[LETTERS];
static word identity;

static void fails(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s, %s: ", board->spec, board->ends.name);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    exit(1);
}
static word prompt_server(word what)
{
    if (board->ends.same_domain)
        return prompted(what);
    return invoke_portal(prompt, what);
}
/* Specification "sf" of the caller's own: in it no floating-point state is live. */
static word call_from_clean(void)
{
    watched_call();
    return 0;
}
/* This domain's identity, as the portal manager tells it. */
static word identity_word(void)
{
    struct {
        char name[48];
        word asid, flags, parent, threads, portals, stacks, identity;
    } __attribute__((aligned(128))) domain;
    int portal = portal_open("inspect.domain");
    if (portal < 0 || invoke_portal(portal, (word)get_asid(), &domain))
        return -1;
    portal_close(portal);
    return domain.identity;
}
/* Constants of all sizes that code is made for. */
static word constant(int n)
{
    unsigned long bits = mixed(40 + n);
    switch (bits & 7) {
    case 0: return 0;
    case 1: return (word)bits >> 53;
    case 2: return (int)(bits >> 20);
    case 3: return (word)(bits << 33);
    case 4: return 2048;
    default: return bits;
    }
}
static long window_bytes(unsigned long bits, long offset)
{
    static const long lengths[] = {0, 1, 100, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, WINDOW * PAGE};
    long bytes = lengths[bits & 7], most = WINDOW * PAGE - offset;
    return bytes > most ? most : bytes;
}
/* A new capability for one use. Two names of one call that differ by a multiple of 64 would share a place in the capability
   manager's translations, each in the other's way. */
static word one_use(int argument, word rights)
{
    for (;;) {
        word name = cap_create(rights + 1, rights, CAP_ONCE);
        int free = 1;
        for (int n = 0; n < LETTERS && name > 0; n++)
            free &= (name - capabilities[n]) % 64 != 0 && (n >= argument || (name - board->parts[n].sent) % 64 != 0);
        if (free)
            return name;
        cap_drop(name);
    }
}
/* Makes argument `n`, whose letter is `letter`; `length_of` is the part whose length it must be, if it must. */
static void make_part(int n, char letter, const struct part *length_of, int *constants)
{
    struct part *p = &board->parts[n];
    unsigned long bits = mixed(n);
    *p = (struct part){.seed = bits >> 8, .offset = bits >> 16 & (PAGE - 1), .sent = bits};
    switch (letter) {
    case 'i':
        p->sent = p->expected = length_of ? length_of->bytes : (word)bits;
        break;
    case 'c':
        p->expected = board->constants[(*constants)++] = constant(n);
        break;
    case 't':
        p->expected = get_thread();
        break;
    case 'a':
        p->expected = get_asid();
        break;
    case 'd':
        p->expected = identity;
        break;
    case 'k':
        p->once = bits % 16 == 0;
        p->expected = p->once ? (word)(bits & 0xff00) + 2 : 0x100 << n;
        p->sent = p->once ? one_use(n, p->expected) : capabilities[n];
        break;
    case 'w': case 'r': case 'W': case 'R':
        p->bytes = letter == 'w' || letter == 'r' ? 1 : window_bytes(bits, p->offset);
        p->sent = (word)windows[n] + p->offset;
        /* One page more than is lent, which must stay. */
        put_marks(windows[n], pages_of(p) + 1, p->seed, CALLERS);
        break;
    case 'S': case '>': case '<': {
        char *pages = letter == 'S' ? shared[n] : letter == '>' ? given(n) : got(n);
        p->bytes = (1 + bits % CHANGED) * PAGE;
        p->sent = (word)pages;
        if (letter == '>')
            for (long page = 0; page < p->bytes; page += PAGE)
                page_map(get_asid(), pages + page, NULL, PAGE_READ | PAGE_WRITE);
        if (letter == '<') /* into a hole, or in the place of what is there */
            for (long page = 0; page < p->bytes && bits & 16; page += PAGE)
                page_unmap(get_asid(), pages + page);
        else
            put_marks(pages, p->bytes / PAGE, p->seed, CALLERS);
    }
    }
}
/* Whether the caller passes a word for it. */
static int is_passed(char letter) { return strchr("c=tahd", letter) == NULL; }

static void check_arguments(word portal, unsigned long long before, unsigned long long after)
{
    for (int n = 0; n < board->letters; n++) {
        char letter = board->spec[2 + n];
        word expected = board->parts[n].expected, found = board->entered.x[A0 + n];
        if (letter == '=')
            expected = portal;
        if (letter == 'h') {
            if ((unsigned long)found < before || (unsigned long)found > after)
                fails("argument %d: time %ld is not between %llu and %llu", n, found, before, after);
        } else if (strchr("ic=tad", letter) && found != expected)
            fails("argument %d: the server got %lx, not %lx", n, found, expected);
    }
}
/* Where the server's stack must be. */
static int is_right_stack(word sp)
{
    const struct ends *ends = &board->ends;
    word callers = call_with.x[SP];
    if (sp & 15)
        return 0;
    if (ends->server_trusted) /* the caller's, or all of the thread's service stack */
        return ends->caller_trusted ? sp <= callers && sp > callers - SERVICE_STACK : sp == service_stack_top(get_thread());
    if (ends->same_domain && board->spec[0] == 's') /* the caller's */
        return sp <= callers && sp > callers - (word)sizeof call_stack;
    /* One of the server's queue. */
    return sp > 0 && sp < OWN_END && !(ends->same_domain && sp <= callers && sp > callers - (word)sizeof call_stack);
}
static void check_server_registers(void)
{
    if (!is_right_stack(board->entered.x[SP]))
        fails("the server's stack pointer is %lx, the caller's %lx", board->entered.x[SP], call_with.x[SP]);
    for (int n = 0; n < 32 && keeps_floating_apart(board); n++)
        if (board->entered.f[n] != 0)
            fails("f%d came to the server: %lx", n, board->entered.f[n]);
    if (keeps_floating_apart(board) && board->entered.fcsr != 0)
        fails("fcsr came to the server: %lx", board->entered.fcsr);
    if (!is_into_untrusted(&board->ends))
        return;
    if (board->entered.x[TP] == call_with.x[TP])
        fails("tp came to the server");
    /* Where it returns to, its entry point, and where that is entered from: addresses of its own. All others are arguments or 0. */
    if (board->entered.x[RA] != RETURN_PAGE + 4 || board->entered.x[T4] != RETURN_PAGE)
        fails("ra and t4 are %lx and %lx in the server", board->entered.x[RA], board->entered.x[T4]);
    if (board->entered.x[T3] <= 0 || board->entered.x[T3] >= OWN_END)
        fails("t3 is %lx in the server", board->entered.x[T3]);
    for (int n = 1; n < 32; n++) {
        int named = n == RA || n == SP || n == TP || n == T3 || n == T4 || (n >= A0 && n < A0 + board->letters);
        if (!named && board->entered.x[n] != 0)
            fails("x%d came to the server: %lx", n, board->entered.x[n]);
    }
}
/* After a call, and after one that failed: where an untrusted caller has an address of the supervisor's. */
static void check_nothing_of_the_supervisors(void)
{
    for (int n = 1; n < 32 && !board->ends.caller_trusted; n++)
        if (n != A0 && call_left.x[n] < 0 && call_left.x[n] != call_with.x[n])
            fails("x%d has an address of the supervisor's after the call: %lx", n, call_left.x[n]);
}
static int is_kept(int n) { return n <= TP || n == S0 || n == S1 || (n >= S2 && n <= S11); }
static int is_kept_floating(int n) { return n == 8 || n == 9 || (n >= 18 && n <= 27); }
static void check_callers_registers(void)
{
    int untrusted = is_into_untrusted(&board->ends);
    int clears = board->spec[1] != 'm' || untrusted, apart = keeps_floating_apart(board);
    if (call_left.x[A0] != board->result)
        fails("the result is %lx, not %lx", call_left.x[A0], board->result);
    for (int n = 1; n < 32; n++) {
        word found = call_left.x[n];
        word kept = untrusted && n == GP ? 0 : call_with.x[n];
        if (is_kept(n) && found != kept)
            fails("x%d is %lx after the call, not %lx", n, found, kept);
        /* `t3` is where the caller goes on. */
        if (clears && !is_kept(n) && n != A0 && n != T3 && found != 0)
            fails("x%d is %lx after the call, not 0", n, found);
        if (clears && n != A0 && found == leave_with.x[n])
            fails("x%d comes from the server", n);
    }
    check_nothing_of_the_supervisors();
    for (int n = 0; n < 32; n++) {
        unsigned long found = call_left.f[n];
        if (call_floating ? (apart || is_kept_floating(n)) && found != call_with.f[n] : apart && found != 0)
            fails("f%d is %lx after the call", n, found);
    }
    if (apart && call_left.fcsr != (call_floating ? call_with.fcsr : 0))
        fails("fcsr is %lx after the call", call_left.fcsr);
}
static void check_memory(void)
{
    for (int n = 0; n < board->letters; n++) {
        char letter = board->spec[2 + n];
        struct part *p = &board->parts[n];
        long pages = pages_of(p);
        int whose = letter == 'w' || letter == 'W' ? SERVERS : CALLERS;
        if (is_window(letter)) {
            if (!has_marks(windows[n], pages, p->seed, whose))
                fails("argument %d: the buffer is not as the server left it", n);
            char *next = windows[n] + pages * PAGE;
            if ((unsigned char)next[0] != mark(p->seed, pages, 0, CALLERS))
                fails("argument %d: the page behind the buffer has changed", n);
        } else if (letter == 'S') {
            if (!has_marks(shared[n], p->bytes / PAGE, p->seed, SERVERS))
                fails("argument %d: what the server wrote is not in the shared pages", n);
            put_marks(shared[n], p->bytes / PAGE, p->seed, CALLERS_AGAIN);
        } else if (letter == '<') {
            if (!has_marks(got(n), p->bytes / PAGE, p->seed, SERVERS))
                fails("argument %d: the server's pages did not come", n);
        } else if (letter == '>') {
            for (long page = 0; page < p->bytes; page += PAGE)
                if (probe_read(given(n) + page) >= 0)
                    fails("argument %d: a page that was given is still here", n);
        } else if (letter == 'k' && p->once) {
            struct cap_info info;
            if (cap_info(p->sent, &info) != -EBADF)
                fails("argument %d: a capability for one use stayed", n);
        }
    }
}
/* A trusted caller is always on its thread's service stack. */
static void set_call_stack(void)
{
    call_with.x[SP] = board->ends.caller_trusted ? 0 : (word)(call_stack + sizeof call_stack) - 64;
}
/* A capability for one use can not be passed again: the same call fails, the server does not run, and nothing has changed. */
static void check_second_use(void)
{
    int once = 0;
    for (int n = 0; n < board->letters; n++)
        once |= board->spec[2 + n] == 'k' && board->parts[n].once;
    if (!once || strchr(board->spec + 2, '>')) /* what was given can not be given again either */
        return;
    long entries = board->entries;
    call_floating = 1;
    set_call_stack();
    watched_call();
    if (call_left.x[A0] != -EBADF || board->entries != entries)
        fails("a second use of a capability: %ld", call_left.x[A0]);
    for (int n = 1; n < 32; n++)
        if ((is_kept(n) && call_left.x[n] != call_with.x[n]) || call_left.f[n] != call_with.f[n])
            fails("x%d or f%d is not kept where a call fails", n, n);
    check_nothing_of_the_supervisors();
}
/* One of the windows, before anything else can have dropped its translation. Between domains the return has changed the address
   space, and the window is not in this one. */
static void check_closed_at_once(void)
{
    int n = board->letters ? cases % board->letters : 0;
    struct part *p = &board->parts[n];
    if (!board->ends.same_domain || board->letters == 0 || !is_window(board->spec[2 + n]) || p->bytes == 0)
        return;
    char *page = (char *)(p->at & -PAGE) + cases / 8 % pages_of(p) * PAGE;
    if (probe_read(page) >= 0)
        fails("argument %d: its window can be read right after the call", n);
}
/* Makes the arguments of a call, and fills the caller's registers. */
static void prepare_call(const char *spec)
{
    memset(board->spec, 0, NAMELEN);
    memcpy(board->spec, spec, strlen(spec));
    board->letters = strlen(spec) - 2;
    board->caller = get_asid();
    board->failure[0] = 0;
    board->callers_stack = (word)__builtin_frame_address(0);
    board->result = mixed(32);
    for (int n = 1; n < 32; n++) {
        call_with.x[n] = 0x1c00000000000000 + (mixed(33) & 0xffffffff) + n;
        call_with.f[n] = 0x1f00000000000000 + (mixed(33) & 0xffffffff) + n;
    }
    call_with.f[0] = 0x1f00000000000000;
    call_with.fcsr = 0x41 + (mixed(33) & 0x1e);
    set_call_stack();
    memset(&call_left, 0, sizeof call_left);
    int constants = 0, passed = 0;
    for (int n = 0; n < board->letters; n++) {
        int is_length = n > 0 && strchr(with_length, spec[1 + n]);
        make_part(n, spec[2 + n], is_length ? &board->parts[n - 1] : NULL, &constants);
        if (is_passed(spec[2 + n]))
            call_with.x[A0 + passed++] = board->parts[n].sent;
    }
}
static inline void call_once(const char *spec)
{
    prepare_call(spec);
    int result = prompt_server(PREPARE);
    if (result)
        fails("it is rejected: %x", -result);
    int portal = portal_open("app.oracle");
    if (portal < 0)
        fails("it can not be opened: %d", portal);
    call_with.x[A7] = portal;
    prepare_server(); /* what it will leave, to compare with; in the same domain the caller is the server */
    call_floating = mixed(34) & 1;
    unsigned long long before = hrtime();
    if (call_floating)
        watched_call();
    else
        invoke_portal(clean);
    check_closed_at_once();
    unsigned long long after = hrtime();
    if (board->failure[0])
        fails("%s", board->failure);
    check_callers_registers();
    check_server_registers();
    check_arguments(portal, before, after);
    check_memory();
    check_second_use();
    result = prompt_server(SETTLE);
    if (board->failure[0])
        fails("%s", board->failure);
    if (result || portal_close(portal))
        fails("it can not be given back: %d", result);
    cases++;
}

/* Specification "np", in the caller's domain: where its stack is. */
static word stack_aside(void)
{
    word sp;
    __asm__("mv %0, sp" : "=r"(sp));
    return sp;
}
/* What every caller does first. */
static int starts(void)
{
    __asm__("mv %0, tp" : "=r"(server_thread_pointer));
    if (pager_register(get_asid(), NULL, 0, on_fault) || portal_register("app.clean", "sf", call_from_clean, NULL, 6)
        || portal_register("app.aside", "np", stack_aside, NULL, 0))
        return 1;
    clean = portal_open("app.clean");
    identity = identity_word();
    for (int n = 0; n < LETTERS; n++)
        capabilities[n] = cap_create((0x100 << n) + 1, 0x100 << n, 0);
    return 0;
}
/* Calls go to the server with this name from now on; NULL: to this domain. */
static inline int calls_to(const char *server, struct ends ends)
{
    char name[NAMELEN];
    board->ends = ends;
    if (!server)
        return 0;
    snprintf(name, sizeof name, "%s.prompt", server);
    prompt = portal_open(name);
    snprintf(name, sizeof name, "%s.board", server);
    return prompt < 0 || invoke_portal(portal_open(name), board, PAGE) != PAGE;
}
/* A server that is a copy of this domain; its number. */
static inline int fork_server(const char *name)
{
    int ready = sem_create(0), server = domain_fork(NULL);
    if (server == 0)
        exit(serve(name, ready));
    sem_wait(ready);
    return server;
}
#endif
