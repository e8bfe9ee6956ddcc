// expect stdout all that must hold has held
// timeout 240
// icount
#include "include/all_holds.h"
/* Several hostile domains do one random thing each in turn: register, open, close, say who may open what, withdraw, call each other with
   windows, lend on what they were lent, fork, share portal tables, interpose, grant, notify, page, kill, fault, end, and call system
   portals with arguments that are chosen to hurt; they make domains of protection in their spaces, show them pages and hide these again, call
   them, have them call others and take memory there, and destroy them. In a system that has one ("patched"), a domain of protection of the test's own calls it by patches of
   its page tables, on behalf of any of them. After each step everything is looked through (inspect.check); at the end nothing may
   be left. Arguments: where the random numbers start, how many runs to make, and how many steps a run has. With a clock that counts
   instructions, as in the tests, a run can be repeated exactly; without it, by hand, each is another one. */
enum { DOMAINS = 6, STEPS = 5000, RUNS = 1, BUFFERS = 4, KEPT = 16, STUCK = 4, PARTS = 3 };
#define MILLISECOND 1000000ull

static unsigned long seed;
static unsigned long next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> 3;
}
_Alignas(4096) static char buffers[BUFFERS][4096];
/* The semaphores that the test itself needs; numbers up to the last one are left alone. */
static int turn[DOMAINS], done, never, harness;
/* Portals and children of this domain that it knows of. */
static int kept[KEPT], children[4];
static volatile int threads;

static const char *const names[] = {"app.0", "app.1", "app.2", "app.3", "app.4", "app.5", "app.6", "app.7", "console.write", "nothing"};
static const char *const specs[] = {"sm", "smi", "np", "npi", "npw", "npr", "nfwi", "nmwr", "npwwwwww", "smcwi", "npiiii", "np=tah",
    "sftwr", "npcc", "smrw", "npwi", "npwi", "npr", "npWi", "nmRi", "nfWiRi", "npSi", "np>i", "nm<i", "npSi>i", "npkk", "npkw", "n", "zz",
    "npq", "npiiiiiii", "npW", "npWc"};
#define PICK(list) list[next() % (sizeof list / sizeof *list)]

static word nasty(void)
{
    static const unsigned long words[] = {
        0, 1, 2, 3, 5, 7, 9, 32, 33, 63, 64, 511, 512, 4095, 4096, 0x10000, 0x40000, 0x3fff0000, 0x3ffff000, 0x40000000, 0x40050000,
        0x7fffffff, 0x80000000, 0x1000000000, 0x1040007ff0, 0x1080000000, 0xffffffff80400000, 0xffffffffc0200000,
        0x8000000000000000, 0x7fffffffffffffff, -1ul, -2ul, -4096ul};
    switch (next() % 6) {
    case 0: return PICK(words);
    case 1: return next() % 600;
    case 2: return next() % 10 * 4096; /* whole pages */
    case 3: return (word)buffers[next() % BUFFERS];
    default: return (word)(buffers[next() % BUFFERS] + next() % 4096);
    }
}
/* A number that is not one of the test's own. */
static int some_portal(void)
{
    int portal = next() % 560;
    for (int tries = 0; tries < 8 && next() % 8; tries++)
        if (kept[next() % KEPT])
            portal = kept[next() % KEPT];
    return portal >= 32 && portal <= harness ? 511 : portal;
}
static void keep(int portal)
{
    if (portal >= 32)
        kept[next() % KEPT] = portal;
}
static word call_somebody(word with)
{
    int portal = some_portal();
    return portal < 32 ? 0 : invoke_portal(portal, with ? with : nasty(), nasty(), nasty(), nasty(), nasty(), nasty());
}
static word serve(word a, word b)
{
    switch (next() % 16) {
    case 0: case 1:
        if (a >= 0x40000000 && a < 0x80000000)
            *(volatile char *)a = 1; /* read-only windows end the domain */
        return a;
    case 2: case 3: case 12: case 13: return sem_timedwait(never, next() % (8 * MILLISECOND));
    case 4: case 5: return call_somebody(a); /* lends on what it was lent */
    case 6: yield(); return b;
    case 7: exit(3);
    case 8: return *(volatile int *)8;
    case 9: {
        int child = domain_fork(0);
        if (child == 0)
            exit(0);
        return child;
    }
    case 10: return page_unmap(get_asid(), buffers[next() % BUFFERS]);
    case 11: {
        static _Alignas(256) unsigned long grant[32];
        grant[0] = next() % 5, grant[1] = next() % 3 ? 0 : some_portal(), grant[2] = next() % 4;
        for (int n = 0; n < 4; n++) {
            strcpy((char *)&grant[3 + 3 * n], PICK(specs));
            grant[5 + 3 * n] = (unsigned long)serve;
        }
        return invoke_portal(30, grant);
    }
    default: return a + b;
    }
}
static word pager(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return next() % 4 ? page_map(asid, (void *)(address & -4096), next() % 2 ? buffers[0] : NULL, PAGE_READ | PAGE_WRITE) : -1;
}
static int notified(int asid, int portal, char *spec)
{
    (void)asid;
    if (next() % 4 == 0)
        return portal_create_child(children[next() % 4], portal, spec, 0, serve);
    return 0;
}
static word intercept(word number, word p1, word p2, word p3, word p4, word p5)
{
    return next() % 16 ? invoke_portal(number, p1, p2, p3, p4, p5) : -EAGAIN;
}
/* In a domain of protection: only its arguments are sure to be there. */
static word visits(word *page, word portal, word how, word random)
{
    switch (how) {
    case 0: return invoke_portal(portal, page, random, page, random);
    case 1: return page[random % 512] = random;
    case 2: return invoke_portal(21, 1l); /* takes a page */
    case 3: return invoke_portal(11, page) + invoke_portal(13, page); /* registers, opens what stands there */
    case 4: return invoke_portal(random % 30, page, portal, random, page);
    case 5: return invoke_portal(4), page[0];
    case 6: return ((word (*)(void))random)();
    default: {
        word taken = invoke_portal(21, 1l);
        return taken > 0 ? invoke_portal(portal, taken, random, taken, random) : taken;
    }
    }
}
DP_MODULE(part, visits)
static int parts[PARTS];
static void part_step(void)
{
    int n = next() % PARTS, rights = 1 << (1 + next() % 4) | PAGE_READ;
    char *page = buffers[next() % BUFFERS];
    switch (parts[n] <= 0 ? 5 : next() % 12) {
    case 0: dp_make_visible(parts[n], page, 4096, rights); return;
    case 1: dp_make_invisible(parts[n], page, 4096); return;
    case 2: next() % 2 ? dp_destroy(parts[n]) : dp_close(parts[n]); return;
    case 3: dp_pass_port_right(parts[n], some_portal()); return;
    case 4: dp_withdraw_port_right(parts[n], some_portal()); return;
    case 5:
        parts[n] = dp_create("part");
        dp_show_program(parts[n]);
        dp_register(parts[n], part, part_procedures, next() % 3);
        for (int b = 0; b < BUFFERS; b++)
            dp_make_visible(parts[n], buffers[b], 4096, PAGE_READ | PAGE_WRITE);
        dp_pass_port_right(parts[n], some_portal());
        return;
    default: dp_call(parts[n], part, 0, nasty(), page, some_portal(), next() % 9, nasty());
    }
}
static void thread(void *argument)
{
    (void)argument;
    switch (next() % 6) {
    case 0: case 1: call_somebody((word)buffers[next() % BUFFERS]); break;
    case 3: case 4: part_step(); break;
    case 2: sem_timedwait(never, next() % (3 * MILLISECOND)); break;
    default: call_somebody(0);
    }
    threads--;
}
static void step(void);
/* Two threads can wait for ever for a stack of each other's domain, and nobody may end a child whose parent is dead. */
static void end_after_a_while(void *argument)
{
    (void)argument;
    hrsleep(50 * MILLISECOND);
    exit(0);
}
static void fork_a_child(void)
{
    int how = next() % 6;
    int child = domain_fork(how < 2 ? intercept : how < 4 ? SHARE_PORTALS : 0);
    if (child == 0) {
        if (thread_create(end_after_a_while, 0, -1) < 0)
            exit(0);
        for (int n = next() % 6; n > 0; n--)
            step();
        sem_timedwait(never, next() % (5 * MILLISECOND));
        if (next() % 3 == 0)
            *(volatile int *)16 = 1;
        exit(next());
    }
    if (child > 0)
        children[next() % 4] = child;
}
static void raw_call(void)
{
    word a[6];
    int portal = 3 + next() % 29;
    for (int n = 0; n < 6; n++)
        a[n] = nasty();
    /* Not: waiting for ever, ending every time, taking all memory, breaking the test's own semaphores. */
    switch (portal) {
    case 5: case 16: case 18: case 19: case 22: case 23: case 24: return;
    case 3: a[0] = (word)thread_exit; break;
    case 10: case 14: a[0] = some_portal(); break;
    case 21: a[0] &= 7; break;
    case 25: a[0] &= 0xffff; break;
    case 17: if (a[0] <= harness) return;
    }
    invoke_portal(portal, a[0], a[1], a[2], a[3], a[4], a[5]);
}
/* The domain of protection in the test's own space, and the test's portal to it; 0: there is none. */
static int patching, inward;
enum { OWN = 4, DEATHS = 4 }; /* init starts a component again five times in ten seconds */
/* What it may find in its calls, by the test's own access: the page with number n begins with n + 1, whatever is done to it. */
_Alignas(4096) static volatile word own[OWN][512], models[OWN][512];
static volatile int misread;
/* A procedure of the test's that it calls, with a number that says what is done. */
static word touches(word which, word how)
{
    unsigned long draw = (unsigned long)how * 0x9e3779b97f4a7c15ul + which * 0x2545f4914f6cdd1dul;
    if ((unsigned long)how > 1 << 20)
        return 0; /* An address at which it is about to look. */
    for (int n = 0; n < 3; n++, draw = draw >> 8 | draw << 56) {
        int page = draw % OWN;
        misread += own[page][0] != page + 1;
        switch (draw / OWN % 8) {
        case 0: page_map(get_asid(), (void *)own[page], (void *)models[page], PAGE_READ | PAGE_WRITE); break;
        case 1: page_map(get_asid(), (void *)own[page], (void *)models[page], PAGE_READ); break;
        case 2: {
            int status, child = draw % 3 ? -1 : domain_fork(0);
            if (child == 0)
                _Exit(own[page][0] != page + 1);
            if (child > 0 && domain_wait(child, &status) == 0)
                misread += status != 0;
            break;
        }
        case 3: yield(); break;
        case 4: hrsleep(draw % MILLISECOND); break;
        }
        misread += own[page][0] != page + 1;
    }
    return 0;
}
static word nothing(void)
{
    return 0;
}
/* The test offers what it calls, and calls it once by each. 0: there is such a domain, and it answers. */
static int patches(void)
{
    static const char *const all[] = {"app.max", "app.touches", "app.inward", "app.waits"};
    if (patching == 0) {
        for (int n = 0; n < OWN; n++)
            own[n][0] = models[n][0] = n + 1;
        for (int n = 0; n < 4; n++)
            portal_register(all[n], "npii", n % 2 ? touches : (word (*)())nothing, NULL, n == 0 ? 3 : 0);
    }
    for (int tries = 0; tries < 200; tries++) {
        word result = inward > 0 ? 0 : (inward = portal_open("app.patch.calls"));
        for (word which = 0; which < 4 && result >= 0; which++)
            result = invoke_portal(inward, which, 1l, 0l);
        if (result >= 0)
            return 0;
        if (inward > 0)
            portal_close(inward);
        inward = 0;
        hrsleep(MILLISECOND);
    }
    return -1;
}
/* What the test itself does between two steps. */
static void patched_turn(unsigned long draw)
{
    int page = draw / 8 % OWN, part = draw % 8 < 3 ? dp_open("by-patch") : -1;
    if (part > 0) {
        if (draw % 8 < 2)
            dp_make_visible(part, (void *)own[page], 4096, draw % 2 ? PAGE_READ : PAGE_READ | PAGE_WRITE);
        dp_make_invisible(part, (void *)own[(page + draw % 8) % OWN], 4096);
        dp_close(part);
    }
    static int deaths;
    if (draw % 64 == 5 && deaths < DEATHS) {
        /* It looks at what it does not see, and dies, whoever has called it meanwhile. */
        deaths++;
        int peeks = portal_open("app.patch.peeks");
        if (peeks > 0) {
            invoke_portal(peeks, models);
            portal_close(peeks);
        }
    }
    if (draw % 8 == 6)
        page_map(get_asid(), (void *)own[page], (void *)models[page], PAGE_READ | PAGE_WRITE);
    patches();
}
/* One of the hostile domains calls it. */
static void call_patched(void)
{
    int portal = portal_open("app.patch.calls");
    if (portal >= 32)
        invoke_portal(portal, (word)(next() % 4), (word)(next() % 4), (word)(next() % (1 << 18)));
    if (next() % 2)
        keep(portal);
    else
        portal_close(portal);
}
static void step(void)
{
    if (patching && next() % 4 == 0) {
        call_patched();
        return;
    }
    for (int n = 0; n < BUFFERS; n++)
        if (next() % 8 == 0)
            page_map(get_asid(), buffers[n], NULL, PAGE_READ | PAGE_WRITE);
    int status;
    switch (next() % 42) {
    case 36: case 37: case 38: case 39: case 40: case 41: part_step(); return;
    case 0: case 1: case 2: case 3: {
        word constants[6] = {nasty(), nasty()};
        portal_register(PICK(names), PICK(specs), next() % 8 ? (word (*)())serve : (word (*)())nasty(), constants, next() % 3);
        return;
    }
    case 4: portal_unregister(PICK(names)); return;
    case 5: case 6: case 7: case 8: case 9: keep(portal_open(PICK(names))); return;
    case 10: case 11: portal_close(some_portal()); return;
    case 12: case 13: case 14: call_somebody((word)buffers[next() % BUFFERS]); return;
    case 15: case 16: case 17: case 18:
        if (threads < 6) {
            threads++;
            if (thread_create(thread, 0, next() % 4 ? -1 : (int)(next() % 21)) < 0)
                threads--;
        }
        return;
    case 19: keep(sem_create(next() % 3)); return;
    case 20: {
        int sem = some_portal();
        if (next() % 2)
            sem_timedwait(sem, 0), sem_post(sem);
        else
            sem_destroy(sem);
        return;
    }
    case 21: case 22: fork_a_child(); return;
    case 23: {
        int child = children[next() % 4];
        if (domain_kill(next() % 2 ? child : (int)(next() % 40)) == 0)
            domain_wait(child, &status);
        return;
    }
    case 32: {
        int asids[3] = {children[next() % 4], get_asid(), next() % 40};
        if (next() % 2)
            portal_register_for(PICK(names), PICK(specs), serve, 0, next() % 2, asids, next() % 4);
        else
            portal_register_asked(PICK(names), PICK(specs), serve, 0, next() % 2, some_portal(), nasty());
        return;
    }
    case 33: portal_ask(PICK(names), some_portal(), nasty()); return;
    case 34: portal_admit(PICK(names), next() % 2 ? children[next() % 4] : (int)(next() % 40)); return;
    case 35: next() % 2 ? portal_admit_all(PICK(names)) : portal_withdraw(PICK(names), next() % 2 ? 0 : (int)(next() % 40)); return;
    case 24: portal_create_child(children[next() % 4], next() % 2 ? (int)(next() % 520) : 20, PICK(specs), nasty(), serve); return;
    case 25: portal_notify(next() % 2 ? notified : 0); return;
    case 26: page_unmap(get_asid(), buffers[next() % BUFFERS]); return;
    case 27: page_map(next() % 2 ? get_asid() : children[next() % 4], buffers[next() % BUFFERS], buffers[next() % BUFFERS], 2 + next() % 8); return;
    case 28:
        if (next() % 2)
            pager_unregister(get_asid(), (void *)0x18000000);
        else if (pager_register(get_asid(), (void *)0x18000000, 0x10000, pager) == 0)
            ((volatile char *)0x18000000)[next() % 0x10000] = 1;
        return;
    case 29:
        if (next() % 4 == 0)
            exit(next());
        return;
    default: raw_call();
    }
}
static void hostile(int number, unsigned long with)
{
    seed = with * 0x9e3779b97f4a7c15ul + 1;
    memset(kept, 0, sizeof kept);
    /* So that there is something to open and to lend to. */
    static const char *const first[] = {"npw", "npr", "npWi", "npRi", "npSi", "np>i", "np<i", "npwr"};
    portal_register(names[number], first[number % 8], serve, 0, 2);
    for (;;) {
        sem_wait(turn[number]);
        step();
        sem_post(done);
    }
}

static int check, count, domain, checks, skipped;
/* 0: nothing was found. */
static int look(int at)
{
    static violation v;
    int result;
    for (int tries = 0; (result = invoke_portal(check, &v)) == -EAGAIN && tries < 50; tries++)
        yield();
    checks++;
    if (result == -EAGAIN)
        skipped++;
    if (result == -EAGAIN || (result == 0 && v.what[0] == 0))
        return 0;
    printf("\nafter step %d: %s: at %lu, number %#lx, value %#lx\n", at, result ? pebble_strerror(result) : v.what, v.at, v.number, v.value);
    return 1;
}
static int lives(int asid)
{
    static _Alignas(128) char out[128];
    return invoke_portal(domain, asid, out) == 0;
}
enum { COUNTED = 15 };
typedef struct { _Alignas(128) unsigned long counts[COUNTED]; } counts;

/* The test's exit status. */
static int run(unsigned long start, int steps)
{
    static counts before, after;
    int asids[DOMAINS] = {0}, stuck[DOMAINS] = {0}, status, made = 0;
    unsigned long choice = start;
    checks = skipped = 0;
    while (sem_trywait(done) == 0) {}
    if (patching && patches() < 0)
        return printf("by-patch does not answer\n"), 5;
    invoke_portal(count, &before);
    for (int at = 0; at < steps; at++) {
        choice = choice * 6364136223846793005ul + 1442695040888963407ul;
        int n = (choice >> 33) % DOMAINS;
        if (asids[n] && !lives(asids[n])) {
            domain_wait(asids[n], &status);
            asids[n] = 0;
        }
        if (asids[n] && stuck[n] >= STUCK) {
            domain_kill(asids[n]);
            domain_wait(asids[n], &status);
            asids[n] = 0;
            if (look(at))
                return 1;
        }
        if (!asids[n]) {
            while (sem_trywait(turn[n]) == 0) {}
            int asid = domain_fork(0);
            if (asid == 0)
                hostile(n, start * 1000000 + at);
            if (asid < 0) {
                printf("step %d: fork: %s\n", at, pebble_strerror(asid));
                return 2;
            }
            asids[n] = asid, stuck[n] = 0, made++;
        }
        sem_post(turn[n]);
        if (patching)
            patched_turn(choice >> 20);
        stuck[n] = sem_timedwait(done, 3 * MILLISECOND) == 0 ? 0 : stuck[n] + 1;
        if (look(at))
            return 1;
    }
    for (int n = 0; n < DOMAINS; n++)
        if (asids[n]) {
            domain_kill(asids[n]);
            domain_wait(asids[n], &status);
        }
    /* Their children end by themselves. */
    static const char *const what[COUNTED] = {"domains", "zombies", 0, "registrations", "blocks", "code bytes", "retired blocks",
        "users", "semaphores", "stacks", 0, "threads"};
    int differs = 1;
    for (int tries = 0; differs && tries < 100; tries++) {
        hrsleep(10 * MILLISECOND);
        if (look(steps))
            return 1;
        if (patching && patches() < 0)
            return printf("by-patch does not answer any more\n"), 5;
        invoke_portal(count, &after);
        differs = 0;
        for (int n = 0; n < COUNTED; n++)
            differs |= what[n] && before.counts[n] != after.counts[n];
    }
    for (int n = 0; differs && n < COUNTED; n++)
        if (what[n] && before.counts[n] != after.counts[n])
            printf("\n%s: %lu before, %lu after\n", what[n], before.counts[n], after.counts[n]);
    if (differs)
        return 3;
    if (made < steps / 100 || skipped > checks / 10)
        return printf("only %d domains, %d of %d checks were not made\n", made, skipped, checks), 4;
    if (misread)
        return printf("%d times a page was not what it is\n", misread), 6;
    printf("\nall that must hold has held\n");
    return 0;
}
int main(int argc, char **argv)
{
    /* A hostile domain has registered the program's first instruction as an entry point: it would begin a test of its own there, the
       domains of which wait for ever for their turn. */
    if (harness)
        exit(0);
    printf("\n");
    fflush(stdout);
    check = portal_open("inspect.check"), count = portal_open("inspect.counts"), domain = portal_open("inspect.domain");
    for (int n = 0; n < DOMAINS; n++)
        turn[n] = sem_create(0);
    done = sem_create(0), never = sem_create(0);
    int part = dp_open("by-patch");
    if (part > 0 && patches() == 0)
        patching = 1, dp_make_invisible(part, (void *)own, sizeof own), dp_close(part);
    harness = never + 1;
    if (inward > harness)
        harness = inward;
    unsigned long start = argc > 1 ? atol(argv[1]) : 1, runs = argc > 2 ? atol(argv[2]) : RUNS;
    int status = 0, steps = argc > 3 ? atoi(argv[3]) : STEPS;
    for (unsigned long n = 0; n < runs && status == 0; n++)
        status = run(start + n, steps);
    return status;
}
