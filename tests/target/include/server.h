/*
 * The server of a watched call: looks at its arguments, changes what it may, and looks again when the caller says that the call is
 * over. Its failures go to the board.
 */
#ifndef SERVER_H
#define SERVER_H
#include "board.h"

static void server_fails(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (board->failure[0] == 0)
        vsnprintf(board->failure, sizeof board->failure, format, arguments);
    va_end(arguments);
}
static void look_at_window(int n, char letter, const struct part *p, word at)
{
    int writable = letter == 'w' || letter == 'W';
    long pages = pages_of(p);
    char *first = (char *)(at & -PAGE);
    if ((at & (PAGE - 1)) != p->offset)
        server_fails("argument %d: offset in the page %ld, not %ld", n, at & (PAGE - 1), p->offset);
    else if (pages && !has_marks(first, pages, p->seed, CALLERS))
        server_fails("argument %d: the window shows something else", n);
    else if (writable)
        put_marks(first, pages, p->seed, SERVERS);
    else
        for (long page = 0; page < pages; page++)
            if (probe_write(first + page * PAGE) == 0)
                server_fails("argument %d: page %ld can be written", n, page);
}
static void look_at_transfer(int n, char letter, const struct part *p, word at)
{
    char *first = (char *)at;
    long pages = p->bytes / PAGE;
    if (at & (PAGE - 1))
        server_fails("argument %d: not at a page, %lx", n, at);
    else if (letter != '<' && !has_marks(first, pages, p->seed, CALLERS))
        server_fails("argument %d: the pages are not the caller's", n);
    else
        put_marks(first, pages, p->seed, SERVERS);
}
static void look_at_capability(int n, const struct part *p, word name)
{
    struct cap_info info;
    int error = cap_info(name, &info);
    if (error)
        server_fails("argument %d: cap_info of %ld: %d", n, name, error);
    else if (info.issuer != board->caller || (word)info.rights != p->expected
             || info.object != (board->ends.same_domain ? (unsigned long)p->expected + 1 : 0))
        server_fails("argument %d: capability of %d, object %lx, rights %lx", n, info.issuer, info.object, info.rights);
    if (p->once && error == 0 && cap_drop(name))
        server_fails("argument %d: not the server's to drop", n);
}
/* A portal of the caller's, which returns where its stack is. From a trusted domain to an untrusted one and back, the service stack
   must go on behind what the trusted caller has on it; from an untrusted one to a trusted one and back, it must be all free for the
   next call. */
static int aside;
static void call_aside(void)
{
    /* An untrusted domain leaves 0 in gp; who calls a trusted one with `m` relies on its own. */
    word gp;
    __asm__ volatile("mv %0, gp" : "=r"(gp));
    word sp = invoke_portal(aside);
    __asm__ volatile("mv gp, %0" : : "r"(gp));
    word top = board->callers_stack;
    if (board->ends.caller_trusted && (sp >= top || sp <= top - SERVICE_STACK))
        server_fails("a trusted domain's stack is at %lx in a call from one at %lx", sp, top);
}
word served(void)
{
    if (!board->ends.same_domain && board->ends.caller_trusted != board->ends.server_trusted)
        call_aside();
    long pages = 0, beyond = 0;
    for (int n = 0; n < board->letters; n++) {
        char letter = board->spec[2 + n];
        struct part *p = &board->parts[n];
        p->at = entered_with.x[A0 + n];
        if (is_window(letter)) {
            look_at_window(n, letter, p, p->at);
            pages += pages_of(p);
            if (pages_of(p) && p->at / PAGE + pages_of(p) > beyond)
                beyond = p->at / PAGE + pages_of(p);
        } else if (is_transfer(letter))
            look_at_transfer(n, letter, p, p->at);
        else if (letter == 'k')
            look_at_capability(n, p, p->at);
    }
    if (pages && probe_read((char *)(beyond * PAGE)) >= 0)
        server_fails("a page behind the last window can be read");
    /* Once more, so that the hart has the translations when the call returns: faults have dropped them. */
    for (int n = 0; n < board->letters; n++)
        for (long page = 0; is_window(board->spec[2 + n]) && page < pages_of(&board->parts[n]); page++)
            if (probe_read((char *)(board->parts[n].at & -PAGE) + page * PAGE) < 0)
                server_fails("argument %d: page %ld was closed in the call", n, page);
    board->entered = entered_with;
    board->entries++;
    return board->result;
}
/* What the server may do with registers, and what it leaves in them. */
static void prepare_server(void)
{
    server_may = (is_into_untrusted(&board->ends) ? OWN_THREAD_POINTER : 0) | (trusts_with_registers(board) ? 0 : SPOIL)
        | (keeps_floating_apart(board) ? SPOIL_FLOATING : 0);
    memset(&entered_with, 0, sizeof entered_with); /* so that its page is there when it is written */
    for (int n = 0; n < 32; n++) {
        leave_with.x[n] = 0x5e00000000000000 + n;
        leave_with.f[n] = 0x5f00000000000000 + n;
    }
    leave_with.fcsr = 0x7f;
}
static int registered(void)
{
    prepare_server();
    return portal_register("app.oracle", board->spec, watched_entry, board->constants, 0);
}
/* After the call: windows are closed, what was shared is shared, what was given is here, what was got is gone. */
static word settled(void)
{
    for (int n = 0; n < board->letters; n++) {
        char letter = board->spec[2 + n];
        struct part *p = &board->parts[n];
        char *at = (char *)(p->at & -PAGE);
        if (is_window(letter)) {
            for (long page = 0; page < pages_of(p); page++)
                if (probe_read(at + page * PAGE) >= 0)
                    server_fails("argument %d: page %ld can be read after the call", n, page);
        } else if (is_transfer(letter)) {
            if (letter == 'S' && !has_marks(at, p->bytes / PAGE, p->seed, CALLERS_AGAIN))
                server_fails("argument %d: what the caller writes later is not seen", n);
            if (letter == '>' && !has_marks(at, p->bytes / PAGE, p->seed, SERVERS))
                server_fails("argument %d: what was given did not stay", n);
            for (long page = 0; page < p->bytes; page += PAGE)
                if ((page_unmap(get_asid(), at + page) == 0) != (letter != '<'))
                    server_fails("argument %d: a page is %s", n, letter == '<' ? "still here" : "not here");
        }
    }
    return portal_unregister("app.oracle");
}
enum { PREPARE, SETTLE };
/* Specification "npi", in the server: what the caller can not do for it. */
static word prompted(word what) { return what == PREPARE ? registered() : settled(); }
/* Specification "npSi", in the server: the caller's board. */
static word board_is(struct board *page, word bytes)
{
    board = page;
    aside = portal_open("app.aside");
    return aside < 0 ? aside : bytes;
}
static word on_fault(word asid, word cause, word address, word pc)
{
    if (is_probe(pc))
        return (word)probe_failed;
    printf("%s: fault %ld at %lx, address %lx\n", board->spec, cause, pc, address);
    fflush(stdout);
    return -EFAULT;
}
/* A server's main: names that begin with `name`. It stays, for its thread pointer is the server's. */
static int serve(const char *name, int ready)
{
    char portal[NAMELEN];
    __asm__("mv %0, tp" : "=r"(server_thread_pointer));
    snprintf(portal, sizeof portal, "%s.prompt", name);
    int failed = pager_register(get_asid(), NULL, 0, on_fault) || portal_register(portal, "npi", prompted, NULL, 6);
    snprintf(portal, sizeof portal, "%s.board", name);
    if (failed || portal_register(portal, "npSi", board_is, NULL, 0))
        return 1;
    int end = sem_create(0);
    if (ready)
        sem_post(ready);
    sem_wait(end);
    return 0;
}
#endif
