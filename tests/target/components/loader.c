/* A loader: an ordinary component that puts modules into the tasks of its clients, who have delegated that to it. Its module is code that runs
   at any address: sums words, reads or writes one, and posts and waits. It does what else its clients ask for, too, to be refused. */
#include <pebble.h>

extern const char module_start[], module_end[];
__asm__(".balign 4096\n"
        "module_start:\n"
        "    beqz  a0, 2f\n"
        "    li    t0, 1\n"
        "    beq   a0, t0, 4f\n"
        "    li    t0, 2\n"
        "    beq   a0, t0, 5f\n"
        /* 3: posts a semaphore and waits for another. */
        "    mv    a7, a2\n"
        "    addi  sp, sp, -16\n"
        "    sd    a3, 0(sp)\n"
        "    ecall\n"
        "    ld    a7, 0(sp)\n"
        "    addi  sp, sp, 16\n"
        "    li    a0, -1\n"
        "    ecall\n"
        "    ret\n"
        /* 0: the sum of a3 words at a2, and of what its data begins with. */
        "2:  lla   t0, module_start\n"
        "    li    t1, 4096\n"
        "    add   t0, t0, t1\n"
        "    ld    a0, 0(t0)\n"
        "3:  beqz  a3, 6f\n"
        "    ld    t0, 0(a2)\n"
        "    add   a0, a0, t0\n"
        "    addi  a2, a2, 8\n"
        "    addi  a3, a3, -1\n"
        "    j     3b\n"
        /* 1: the word at a2; 2: which becomes a3. */
        "4:  ld    a0, 0(a2)\n"
        "    ret\n"
        "5:  sd    a3, 0(a2)\n"
        "    li    a0, 0\n"
        "6:  ret\n"
        "module_end:\n"
        ".balign 4096\n");
enum { PAGE = 4096, PROCEDURES = 4 };

static int delegation, handle;
static char *place;
static _Alignas(PAGE) word constants[] = {1000};

/* Loads the module; where it begins, which is its entry point too. */
static word load(word given, word stacks)
{
    if ((delegation = dp_accept(given)) < 0)
        return delegation;
    if ((handle = dp_make(delegation, "module")) < 0)
        return handle;
    if (!(place = dp_take(handle, 3 * PAGE)))
        return -ENOMEM;
    int done = dp_place(handle, place, module_start, module_end - module_start, PAGE_READ | PAGE_EXECUTE);
    if (done == 0)
        done = dp_place(handle, place + PAGE, constants, sizeof constants, PAGE_READ);
    if (done == 0)
        done = dp_register(handle, (dp_entry *)place, PROCEDURES, stacks);
    return done < 0 ? done : (word)place;
}
static word give(void) { return dp_give(handle); }
static word show(word start, word bytes, word rights) { return dp_make_visible(handle, (void *)start, bytes, rights); }
static word pass(word portal) { return dp_pass_port_right(handle, portal); }
static word more(void) { return dp_make(delegation, "another"); }
static word accept(word given) { return dp_accept(given); }
static word take(word bytes) { return dp_take(handle, bytes) ? 0 : -ENOMEM; }
static word put(word to, word rights) { return dp_place(handle, (void *)to, module_start, 64, rights); }
static word connect(void) { return dp_connect(handle, (dp_entry *)place); }
static word own_copy(void) { return *(volatile word *)place; }
static word destroy(word which) { return dp_destroy(which ? delegation : handle); }
/* Waits in the client's call, for good. */
static volatile int waiting;
static word waits(void)
{
    waiting = 1;
    sem_wait(sem_create(0));
    return 0;
}
static word is_waiting(void) { return waiting; }
static word number(void) { return get_asid(); }
static word fails(void) { return *(volatile word *)8; }

int main(void)
{
    portal_register("app.loader.load", "npii", load, 0, 4);
    portal_register("app.loader.give", "np", give, 0, 0);
    portal_register("app.loader.show", "npiii", show, 0, 0);
    portal_register("app.loader.pass", "npi", pass, 0, 0);
    portal_register("app.loader.more", "np", more, 0, 0);
    portal_register("app.loader.accept", "npi", accept, 0, 0);
    portal_register("app.loader.take", "npi", take, 0, 0);
    portal_register("app.loader.put", "npii", put, 0, 0);
    portal_register("app.loader.connect", "np", connect, 0, 0);
    portal_register("app.loader.own_copy", "np", own_copy, 0, 0);
    portal_register("app.loader.destroy", "npi", destroy, 0, 0);
    portal_register("app.loader.waits", "np", waits, 0, 0);
    portal_register("app.loader.is_waiting", "np", is_waiting, 0, 0);
    portal_register("app.loader.number", "np", number, 0, 0);
    portal_register("app.loader.fails", "np", fails, 0, 0);
    thread_exit();
}
