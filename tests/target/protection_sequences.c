// expect stdout all that must hold has held
// timeout 60
// icount 10
// arguments 1 2 400
/* Random sequences of all calls of domains of protection, from four threads: pages are shown, hidden, unmapped, replaced and lent on,
   domains made, called into each other, destroyed with threads in them, and their task copied meanwhile. What must hold of page tables, portals and threads is looked for
   after every step, and nothing is left at the end. Arguments: the first seed, how many, steps of each. */
#include "include/all_holds.h"

enum { PARTS = 5, PAGES = 12, SECRETS = 2, THREADS = 3 };
enum { SYS_THREAD_END = 2, SYS_FORK = 18, SYS_GROW = 21, SYS_STACK = 25, SYS_PAGE = 29 };
static _Alignas(4096) word pages[PAGES][512], secrets[SECRETS][512];
static volatile int parts[PARTS];
static int check, server, done, ended, made, died, lent, copied, shown;

static unsigned long mix(unsigned long *seed)
{
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    return *seed >> 33;
}
/* What a domain of protection does: it has nothing but its arguments. */
enum { READ, WRITE, LEND, CALL, HEAP, LEAVE, END, FORK, SPIN, PAGE_OWN, ACTS };
static word act(word what, volatile word *page, word portal, word next)
{
    switch (what) {
    case READ: return *page;
    case WRITE: return *page = (word)page;
    case LEND: return invoke_portal(portal, page, 64l);
    case CALL: return invoke_portal(portal, 0l, 0l, next, page, portal, READ);
    case HEAP: {
        volatile word *own = (word *)invoke_portal(SYS_GROW, 1l);
        return (word)own < 0 ? (word)own : (*own = 7);
    }
    case LEAVE: return invoke_portal(SYS_THREAD_END);
    case END: return invoke_portal(SYS_EXIT, 3l);
    case FORK: return invoke_portal(SYS_FORK, 0l, 0l, 0l);
    case PAGE_OWN: return invoke_portal(SYS_PAGE, next, page, 0l, 0l) | invoke_portal(SYS_STACK, 4096l);
    default:
        for (volatile int n = 0; n < 3000; n++)
            ;
        return *page;
    }
}
DP_MODULE(module, act)

static word looks(const word *window, word bytes)
{
    word sum = 0;
    for (int n = 0; n < 4; n++) {
        for (word at = 0; at < bytes / 8; at++)
            sum += window[at];
        yield();
    }
    return sum & 0xffff;
}
static int fresh(unsigned long *seed)
{
    int dp = dp_create("part");
    if (dp < 0)
        return 0;
    made++;
    dp_show_program(dp);
    dp_register(dp, module, module_procedures, 1 + mix(seed) % 2);
    dp_pass_port_right(dp, server);
    for (int n = 0; n < 4; n++)
        shown += dp_make_visible(dp, pages[mix(seed) % (PAGES - 2)], 3 * 4096, PAGE_READ | PAGE_WRITE) == 0;
    int other = parts[mix(seed) % PARTS];
    int portal = other > 0 ? dp_connect(other, module) : -1;
    if (portal > 0)
        dp_pass_port_right(dp, portal);
    return dp;
}
static unsigned long seeds[THREADS + 1];
static int steps;
static volatile int stop;
static void works(void *number)
{
    unsigned long *seed = &seeds[(word)number];
    while (!stop) {
        int dp = parts[mix(seed) % PARTS], other = parts[mix(seed) % PARTS];
        if (dp <= 0) {
            yield();
            continue;
        }
        /* What ends it goes by, mostly. */
        word what = mix(seed) % 8 ? mix(seed) % (HEAP + 1) : mix(seed) % ACTS, page = mix(seed) % 32 ? (word)pages[mix(seed) % PAGES] : (word)secrets[mix(seed) % SECRETS];
        word portal = what == CALL && other > 0 ? dp_connect(other, module) : server;
        word result = dp_call(dp, module, mix(seed) % 16 == 0, 0, what, page, portal, mix(seed) % ACTS);
        died += result == -EDEAD, lent += what == LEND && result >= 0;
    }
}
static int step(unsigned long *seed)
{
    int slot = mix(seed) % PARTS, dp = parts[slot], page = mix(seed) % PAGES, status;
    size_t bytes = 4096 * (1 + mix(seed) % 2);
    if (page + bytes / 4096 > PAGES)
        bytes = 4096;
    switch (mix(seed) % 13) {
    case 0:
        if (dp > 0) {
            parts[slot] = 0;
            dp_destroy(dp);
        }
        break;
    case 1:
        if (dp <= 0)
            parts[slot] = fresh(seed);
        break;
    case 2:
        dp_make_invisible(dp, pages[page], bytes);
        break;
    case 3:
        page_unmap(get_asid(), pages[page]);
        break;
    case 4:
        page_map(get_asid(), pages[page], mix(seed) % 2 ? pages[(page + 1) % PAGES] : NULL, PAGE_READ | PAGE_WRITE);
        break;
    case 5: {
        int child = domain_fork(0);
        if (child == 0) {
            /* Its domains of protection are copies of the task's: they see no more, and what they write is not the task's. */
            secrets[0][1] = 9;
            if (dp > 0 && mix(seed) % 2 && dp_make_visible(dp, secrets[1], 4096, PAGE_READ | PAGE_WRITE) == 0)
                dp_call(dp, module, 0, 0, WRITE, secrets[1]);
            if (dp > 0 && dp_call(dp, module, 0, 0, mix(seed) % ACTS, pages[page], server, READ) == 0 && mix(seed) % 2)
                dp_destroy(dp);
            else if (dp > 0 && dp_call(dp, module, 0, 0, READ, secrets[0]) >= 0)
                _Exit(1);
            _Exit(0);
        }
        if (child > 0 && domain_wait(child, &status) == 0 && status != 0)
            return printf("a copy of a domain of protection saw what its task had not shown: %d\n", status), 0;
        copied += child > 0;
        break;
    }
    case 6:
        dp_register(dp, (dp_entry *)(word)mix(seed), 1, 0);
        break;
    case 7:
        yield();
        break;
    case 8:
        /* Connections that others were passed may keep it. */
        if (dp > 0) {
            parts[slot] = 0;
            dp_close(dp);
        }
        break;
    default: {
        int result = dp_make_visible(dp, pages[page], bytes, mix(seed) % 4 ? PAGE_READ | PAGE_WRITE : PAGE_READ);
        shown += result == 0;
        if (result == -EDEAD) {
            parts[slot] = 0;
            dp_destroy(dp);
            parts[slot] = fresh(seed);
        }
    }
    }
    return 1;
}
static int holds(int n)
{
    char step[32];
    snprintf(step, sizeof step, "step %d", n);
    return all_holds(check, step);
}
static int run(unsigned long first)
{
    for (int n = 0; n <= THREADS; n++)
        seeds[n] = first * 1000 + n;
    for (int n = 0; n < PAGES; n++)
        page_map(get_asid(), pages[n], NULL, PAGE_READ | PAGE_WRITE);
    int threads[THREADS], ok = 1;
    stop = 0;
    for (word n = 0; n < THREADS; n++)
        threads[n] = thread_create(works, (void *)n, -1);
    for (int n = 0; ok && n < steps; n++)
        ok = step(&seeds[THREADS]) && holds(n);
    stop = 1;
    for (int n = 0; n < PARTS; n++)
        if (parts[n] > 0)
            dp_destroy(parts[n]), parts[n] = 0;
    for (int n = 0; n < THREADS; n++)
        thread_join(threads[n]);
    for (int n = 0; n < SECRETS; n++)
        for (int at = 0; at < 512; at++)
            if (secrets[n][at] != 5)
                return printf("a page that nobody was shown has changed\n"), 0;
    return ok && holds(0);
}
int main(int argc, char **argv)
{
    check = portal_open("inspect.check"), done = sem_create(0), ended = sem_create(0);
    unsigned long first = argc > 1 ? atol(argv[1]) : 1, runs = argc > 2 ? atol(argv[2]) : 1;
    steps = argc > 3 ? atoi(argv[3]) : 400;
    for (int n = 0; n < SECRETS; n++)
        for (int at = 0; at < 512; at++)
            secrets[n][at] = 5;
    int child = domain_fork(0);
    if (child == 0) {
        portal_register("app.looks", "npri", looks, NULL, 3);
        sem_post(done);
        sem_wait(ended);
        _Exit(0);
    }
    sem_wait(done);
    server = portal_open("app.looks");
    /* More than that where chance has left something out. */
    for (unsigned long n = 0; n < runs || (n < 4 * runs && (!lent || !shown || !copied)); n++)
        if (!run(first + n))
            return printf("seed %lu\n", first + n), 1;
    sem_post(ended);
    domain_wait(child, NULL);
    printf("%d domains of protection, %d calls that died, %d pages lent, %d times shown, %d copies\n", made, died, lent, shown, copied);
    if (made < 10 || died < 10 || !lent || !shown || !copied)
        return 2;
    printf("all that must hold has held\n");
    return 0;
}
