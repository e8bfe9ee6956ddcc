/*
 * The C interface of Pebble.
 *
 * A component is a C program with main(); everything beyond the C library is here. Functions that return int return
 * a negative error (-EPORTAL, …) on failure unless said otherwise; pebble_strerror() says what it means.
 *
 * Windows: a pointer that is passed for an `r` or `w` of a specification shows the callee the page it points into, for
 * the time of the call. What is to be seen must not cross a page boundary; _Alignas makes sure.
 */
#ifndef PEBBLE_H
#define PEBBLE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An argument of a portal. */
typedef long word;

/* From here: written by ./pebble manual. */
#define NPORTALS 512 /* entries of a portal table; 0 is "return" */
#define NAMELEN 64 /* longest name or specification, with its 0 */
/* Portals of every domain. */
#define SYS_EXIT 1
#define SYS_YIELD 4
#define SYS_GET_ASID 6
#define SYS_GET_THREAD 7
#define SYS_HRTIME 8
/* Errors that POSIX does not name. */
#define EPORTAL 201 /* no such portal */
#define EDEAD 202 /* the other side died */
#define ENOSTACK 203 /* the callee has no stack */
#define EACCESS 204 /* not allowed by the manifest */
#define EDEPTH 205 /* too many nested calls */
#define EWINDOW 206 /* too many open windows */
#define ESPEC 0x1000 /* a specification was rejected: -(ESPEC + reason * 256 + position) */
/* Rights to pages. */
#define PAGE_READ 2
#define PAGE_WRITE 4
#define PAGE_EXECUTE 8
/* What limits a capability besides its rights. */
#define CAP_ONCE 1 /* It is gone once it was passed. */
#define CAP_STAYS 2 /* It can be passed to its issuer only. */
#define CAP_ALL 3
#define PORTAL_ADMITTED 10 /* most domains that a registration itself admits */
#ifdef __cplusplus
#define PEBBLE_LAYOUT_(holds)
#else
#define PEBBLE_LAYOUT_(holds) _Static_assert(holds, "as lib/abi has it");
#endif
/* Result of `PORTAL_CALLERS`: a call that the server is in. */
struct portal_caller {
    uint64_t asid; /* ASID of the domain that called; 0: it is dead. */
    uint64_t state; /* What the thread does: a state of `scheduler.info`. */
    uint64_t cancelled; /* Why its waits end early: bits of `crate::nucleus::cancelled`. */
    uint64_t beyond; /* How many calls it is deep in others that the server has called. */
} __attribute__((aligned(32)));
PEBBLE_LAYOUT_(sizeof(struct portal_caller) == 32 &&
               offsetof(struct portal_caller, asid) == 0 &&
               offsetof(struct portal_caller, state) == 8 &&
               offsetof(struct portal_caller, cancelled) == 16 &&
               offsetof(struct portal_caller, beyond) == 24)
/* To here. */
/* Position, from 0, in the specification that result `r` rejects. */
#define ESPEC_POSITION(r) (-(r) & 0xff)

/* What a negative result means. The text is constant, or is valid until the thread's next call. */
const char *pebble_strerror(int result);

/* Identity and time. */
int get_asid(void);                /* this domain's number, > 0 */
int get_thread(void);              /* this thread's number, > 0 */
unsigned long long hrtime(void);   /* high-resolution time; a tick is two core cycles */
unsigned long long hrttime(void);  /* the same */
void hrsleep(unsigned long long ticks);

/* Threads. Priorities are 0 … 63; higher runs first. */
int thread_fork(void) __attribute__((returns_twice));
    /* A new thread in this domain that goes on from the call on a copy of the stack, at another address: pointers into
       the stack still point to the parent's. 0 in the child, the child's id in the parent. */
#ifdef PEBBLE_POSIX
#include <unistd.h> /* fork is POSIX's: a copy of this domain, which waitpid waits for */
#else
#undef fork
int fork(void) __attribute__((returns_twice)); /* thread_fork */
#endif
/* Bytes of stack that main is to have, where the program defines it; 64 KiB, else. 126 is the status of one that can not have so many. */
extern const size_t pebble_main_stack;
int thread_create(void (*entry)(void *), void *argument, int priority); /* id; priority -1: the caller's; -EINVAL:
    above the manifest's */
int thread_join(int thread);       /* until it has ended */
int thread_cancel(int thread);
    /* of this domain: its wait ends with -ECANCELED, here or in a server that it has called, and each later wait does after a
       time slice at most; -ESRCH: there is no such thread */
void thread_exit(void) __attribute__((noreturn));
void yield(void);
int set_priority(int priority);    /* of this thread; -EINVAL: above the manifest's */

/* Domains. */
int domain_fork(word (*intercept)(word portal, word p1, word p2, word p3, word p4, word p5)) __attribute__((returns_twice));
    /* A new domain with a copy of this one's memory, at the same addresses, and of its portal table. With intercept, every
       entry of the child's table calls it here, with the portal's number first. 0 in the child, its asid in the parent. */
#define SHARE_PORTALS ((word (*)(word, word, word, word, word, word))1)
    /* domain_fork(SHARE_PORTALS): both have one portal table: what one opens or closes, the other has or has no more. -ENOTSUP: this
       domain is trusted, or has domains of protection */
int domain_wait(int asid, int *status); /* until the child ends; its exit status, or minus the fault's cause */
int domain_kill(int asid);
/* exit(status) ends the domain. */

/* Faults. The handler of a range of addresses of this domain, or of a child of its, answers the exceptions at addresses in it;
   with bytes 0, all that no other handler answers. It runs on a stack of this domain's queue, in the thread that faulted.
   It returns 0 to have the access repeated, an address to go on at, or an error, and the domain ends as without it. */
int pager_register(int asid, void *start, size_t bytes, word (*handler)(word asid, word cause, word address, word pc));
    /* -EACCESS: neither this domain nor its child; -EBUSY: part of the range has a handler; -EINVAL: not whole pages of the
       private part */
int pager_unregister(int asid, void *start);
int page_map(int asid, void *page, const void *source, int rights);
    /* replaces a page of this domain, of its child, or of a range that this domain's handler answers for, by a copy of the
       page at `source` (NULL: zeros), which is made when one of the two is written */
int page_unmap(int asid, void *page);

/* Components, for who looks after a system (its manifest entry opens `init.*`). */
int component_replace(const char *name, const char *by, char in_the_way[NAMELEN]);
    /* Has a component that runs succeeded by a new instance of it (`by` NULL), or by another component, while it is called; the new domain's number. Portals
       keep their numbers, and calls that have begun are answered by who was called. Where it is refused, nothing has changed, and `in_the_way`, if it is
       not NULL, names the portal that is: -ETIMEDOUT: one in use that the new one has not registered within 10 s; -EINVAL: one of another specification;
       -EBUSY: one that is bound to the old one (the book, "Replacement"). -ESRCH: it does not run; -ENOENT: there is no component `by`; -ENOTSUP: it is the
       main component, or has a device; -EBUSY: it is being replaced; -EDEAD: it has ended, -ECANCELED: the new one has, meanwhile */
enum { COMPONENT_ENDED, COMPONENT_RUNS, COMPONENT_STARTS_AGAIN, COMPONENT_STAYS_ENDED };
long component_watch(const char *name, long seen, unsigned long ticks);
    /* waits until something has happened to a component since this has returned `seen`, at most so many ticks of hrtime(); its state, at once where `seen` is
       -1. Its condition is in the two lowest bits: it was not started, or has come to its end; it runs; it has failed, and is started again; it has
       failed too often, and stays ended. Above them is how often it was started. -ENOENT: there is no such component, or it is one of the first; -ETIMEDOUT */
int component_give_up(const char *name);
    /* a component that has failed and waits to be started again is not; -ESRCH: it does not wait */

/* Capabilities. Each stands for a right to something of its issuer's. A domain holds it under a name of its own, a number > 0
   that no int has, and passes it through a portal whose specification has `k` for that argument; the server receives its own name for it. */
struct cap_info {
    unsigned long object;                   /* what it stands for; 0 for all but the issuer */
    unsigned long rights, flags;
    int issuer;                             /* asid; 0: it is no more */
};
word cap_create(unsigned long object, unsigned long rights, int flags); /* a capability of this domain's own making; its name */
word cap_reduce(word cap, unsigned long rights, int flags);
    /* a weaker one: of its rights those in `rights`, with more flags; -EACCESS: it is for one use */
int cap_revoke(word cap);                    /* takes back all that was derived from it; how many that were */
int cap_drop(word cap);                      /* lets go of it; what was derived from it stays */
int cap_info(word cap, struct cap_info *info); /* -EBADF: this domain holds nothing under that name */

/* Semaphores. A semaphore's number is that of its P portal; V is the next. */
int sem_create(int value);
int sem_wait(int sem);
int sem_trywait(int sem);                              /* -EAGAIN */
int sem_timedwait(int sem, unsigned long long ticks);  /* -ETIMEDOUT */
int sem_post(int sem);
int sem_destroy(int sem);                              /* waiters get -EDEAD */

/* Portals. An entry point takes up to six words, and may be declared with ints. */
int portal_register(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks);
    /* `constants` has a value for each `c`; `stacks` are added to the queue that callers of this domain take theirs from */
int portal_register_for(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks, const int *asids,
                        int count);
    /* which from the start only these may open, at most PORTAL_ADMITTED; none: nobody yet */
int portal_register_asked(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks, int portal,
                          word token);
    /* which from the start is asked, as with portal_ask */
int portal_unregister(const char *name);
int portal_admit(const char *name, int asid);    /* from now on only who is admitted may open it; asid 0: nobody yet */
int portal_admit_all(const char *name);          /* everybody may, as when it was registered */
int portal_ask(const char *name, int portal, word token);
    /* from now on `portal`, one of this domain's own that leads to itself or to another's entry point, is asked at each open: with the
       asid and the identity of who wants to, and the token. 0: that one may; an error is what its open answers. -ENFILE: more
       questions than the limit of pagers; -EINVAL: it takes more than three words, or windows; see the book, "Concepts" */
int portal_withdraw(const char *name, int asid); /* that one may no more, and what it has open answers -EDEAD; asid 0: all */
int portal_open(const char *name);          /* its number */
int portal_open_timed(unsigned long long ticks, const char *name); /* -ETIMEDOUT: who was asked has not answered after that time */
int portal_close(int portal);
word invoke_portal(int portal, ...);        /* up to six words */
word invoke_portal_timed(unsigned long long ticks, int portal, word p0, word p1, word p2, word p3, word p4, word p5);
    /* -ETIMEDOUT if it has not returned after that time: what the server waits for ends with -ECANCELED then, and it returns, when
       it does, to a thread that ends there. Until then what windows lend it stays lent. Words at the end may be left out. */
int portal_callers(int after, struct portal_caller *caller);
    /* the first thread above `after` that is in a call of this domain's portals; its number, or 0 */
int portal_create_child(int asid, int portal, const char *spec, word constant, word (*entry)());
int portal_create_stub(int asid, int portal, const char *spec, word (*intercept)());
    /* portal_create_child for an interposer: intercept gets the portal's number and what a caller of a portal with this specification
       passes, at most five words. */
int portal_notify(int (*notify)(int asid, int portal, char *spec));
int portal_info(int portal, char spec[NAMELEN], char name[NAMELEN]);

/* Domains of protection (the book, "Domains of protection"). One sees a part of this domain's memory, at the same addresses, and has
   its portals' numbers; it is named by a handle, a number that is nobody else's to use. */
typedef word dp_entry(word procedure, word capability, word a, word b, word c, word d);
int dp_create(const char *name);            /* a handle; it sees nothing, and has no portals but those of every domain */
int dp_open(const char *component);
    /* a handle of a component that the manifest has as a domain of protection in this one's address space; -ENOENT: there is no such
       component; -EACCESS: this domain is one of protection itself */
int dp_close(int dp);
    /* gives the handle up, and this domain's connections to it: a domain that dp_create made ends when nobody has a handle of it or a
       connection to it, no thread has its home there, and it provides nothing */
int dp_destroy(int dp);                     /* who is in it returns to its caller with -EDEAD; what it has taken is freed */
int dp_register(int dp, dp_entry *entry, int procedures, int stacks);
    /* an entry point, with the procedures 0 … procedures - 1, and stacks for as many calls at a time; -EEXIST */
int dp_connect(int dp, dp_entry *entry);
    /* the number of the portal to that entry point, which dp_call opens by itself at the first call; -ENOENT: there is none */
int dp_make_visible(int dp, const void *start, size_t bytes, int rights);
    /* whole pages, with PAGE_… rights, in place of what it sees there; -EACCESS: more rights than this domain has; -EFAULT: nothing
       is there; -EBUSY: the domain has lent a page of it on, and that call has not returned */
int dp_make_invisible(int dp, const void *start, size_t bytes); /* from its next access on; -EBUSY as above */
int dp_show_program(int dp);                /* the program's code and constants, to be read and executed */
int dp_pass_port_right(int dp, int portal); /* the domain has this one's portal at the same number; -EEXIST: another is there */
int dp_withdraw_port_right(int dp, int portal);
int dp_number(int dp);                      /* its asid, for domain_wait */
/* Domains of protection in the task of somebody else (the book, "Delegation"). */
int dp_delegate(int dp, int portal, int domains, size_t bytes);
    /* whoever `portal` leads to may make so many domains in this one's task, which take so many bytes together: a delegation, to be passed to it
       as an argument of a call. What it shows and passes to them is what `dp` has, or, where that is 0, this domain. dp_destroy withdraws it.
       -EPORTAL: the portal leads to no server */
int dp_accept(int delegation);
    /* in a call that passed it: what it is called here; -EBADF: the caller has none of that number; -EACCESS: it is for somebody else */
int dp_make(int delegation, const char *name); /* a handle, as of dp_create; -ENFILE: as many as were delegated were made */
void *dp_take(int dp, size_t bytes);
    /* whole pages that the domain takes, at an address that is free in its task; NULL: there are none left, of the delegation or at all */
int dp_place(int dp, void *to, const void *from, size_t bytes, int rights);
    /* copies of pages, with PAGE_… rights, in place of what it has taken and nobody has touched; zeros behind `bytes`. -EINVAL: no whole
       pages, or to be written and executed; -EFAULT: it has not taken them; -EAGAIN: one was touched */
int dp_give(int dp); /* who delegated has a handle of it, too; its number, which means something there */
/* dp_call(dp, entry, procedure, capability, …): up to four more words; -ENOENT: no such entry point, or no such procedure; -EDEAD:
   the domain has ended, or does in the call; -EBADF: no handle. */
#define dp_call(dp, entry, procedure, capability, ...)                                                             \
    __extension__({                                                                                                \
        int portal_ = dp_portal_(dp, (dp_entry *)(entry));                                                                       \
        portal_ < 0 ? (word)portal_ : invoke_portal(portal_, procedure, capability, ##__VA_ARGS__);                \
    })
/* DP_MODULE(name, procedures…): the jump table of a protected module and its header, the entry point `name`, which a call enters with
   the procedure's number, below name_procedures; a procedure gets the four words behind it and the capability. */
#define DP_MODULE(name, ...)                                                                                       \
    static word (*const name##_table[])() = {__VA_ARGS__};                                                         \
    enum { name##_procedures = sizeof name##_table / sizeof *name##_table };                                       \
    word name(word procedure, word capability, word a, word b, word c, word d)                                     \
    {                                                                                                              \
        (void)capability;                                                                                          \
        return name##_table[procedure](a, b, c, d);                                                                \
    }
#define DP_CONNECTIONS_ 64
#define DP_CONNECTION_(dp, entry) ((uint64_t)(uintptr_t)(entry) << 20 | (uint64_t)(dp) << 10)
#define DP_PLACE_(dp, entry) (((uintptr_t)(entry) >> 1 ^ (unsigned)(dp)) % DP_CONNECTIONS_)
extern uint64_t __pebble_connections[DP_CONNECTIONS_];
static inline int dp_portal_(int dp, dp_entry *entry)
{
    uint64_t known = __pebble_connections[DP_PLACE_(dp, entry)];
    return (known & ~(uint64_t)1023) == DP_CONNECTION_(dp, entry) && known ? (int)(known & 1023) : (dp_connect)(dp, entry);
}

#ifdef __riscv
/* invoke_portal in line: no more than the instructions that place its arguments. A portal keeps what a C call keeps. */
#define PEBBLE_CLOBBERED_                                                                                          \
    "t0", "t1", "t2", "t3", "t4", "t5", "t6", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fa0", "fa1", \
        "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "ft8", "ft9", "ft10", "ft11", "memory"
static inline word pebble_call0(word portal)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0");
    __asm__ volatile("ecall" : "+r"(a7), "=r"(a0) : : "a1", "a2", "a3", "a4", "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call1(word portal, word p0)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0) : : "a1", "a2", "a3", "a4", "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call2(word portal, word p0, word p1)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    register word a1 __asm__("a1") = p1;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0), "+r"(a1) : : "a2", "a3", "a4", "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call3(word portal, word p0, word p1, word p2)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    register word a1 __asm__("a1") = p1;
    register word a2 __asm__("a2") = p2;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0), "+r"(a1), "+r"(a2) : : "a3", "a4", "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call4(word portal, word p0, word p1, word p2, word p3)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    register word a1 __asm__("a1") = p1;
    register word a2 __asm__("a2") = p2;
    register word a3 __asm__("a3") = p3;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3) : : "a4", "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call5(word portal, word p0, word p1, word p2, word p3, word p4)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    register word a1 __asm__("a1") = p1;
    register word a2 __asm__("a2") = p2;
    register word a3 __asm__("a3") = p3;
    register word a4 __asm__("a4") = p4;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4) : : "a5", "a6", PEBBLE_CLOBBERED_);
    return a0;
}
static inline word pebble_call6(word portal, word p0, word p1, word p2, word p3, word p4, word p5)
{
    register word a7 __asm__("a7") = portal;
    register word a0 __asm__("a0") = p0;
    register word a1 __asm__("a1") = p1;
    register word a2 __asm__("a2") = p2;
    register word a3 __asm__("a3") = p3;
    register word a4 __asm__("a4") = p4;
    register word a5 __asm__("a5") = p5;
    __asm__ volatile("ecall" : "+r"(a7), "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5) : : "a6", PEBBLE_CLOBBERED_);
    return a0;
}
#define PEBBLE_CALL0_(p) pebble_call0(p)
#define PEBBLE_CALL1_(p, a) pebble_call1(p, (word)(a))
#define PEBBLE_CALL2_(p, a, b) pebble_call2(p, (word)(a), (word)(b))
#define PEBBLE_CALL3_(p, a, b, c) pebble_call3(p, (word)(a), (word)(b), (word)(c))
#define PEBBLE_CALL4_(p, a, b, c, d) pebble_call4(p, (word)(a), (word)(b), (word)(c), (word)(d))
#define PEBBLE_CALL5_(p, a, b, c, d, e) pebble_call5(p, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e))
#define PEBBLE_CALL6_(p, a, b, c, d, e, f) pebble_call6(p, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), (word)(f))
#define PEBBLE_SELECT_(_0, _1, _2, _3, _4, _5, _6, name, ...) name
#define invoke_portal(...)                                                                                         \
    PEBBLE_SELECT_(__VA_ARGS__, PEBBLE_CALL6_, PEBBLE_CALL5_, PEBBLE_CALL4_, PEBBLE_CALL3_, PEBBLE_CALL2_,         \
                   PEBBLE_CALL1_, PEBBLE_CALL0_, 0)(__VA_ARGS__)
#define PEBBLE_TIMED_(ticks, p, a, b, c, d, e, f, ...) \
    invoke_portal_timed(ticks, p, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), (word)(f))
#define invoke_portal_timed(...) PEBBLE_TIMED_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
static inline int pebble_get_asid(void) { return pebble_call0(SYS_GET_ASID); }
static inline int pebble_get_thread(void) { return pebble_call0(SYS_GET_THREAD); }
static inline unsigned long long pebble_hrtime(void) { return pebble_call0(SYS_HRTIME); }
static inline void pebble_yield(void) { pebble_call0(SYS_YIELD); }
static inline int pebble_sem_wait(word sem) { return pebble_call1(sem, -1); }
static inline int pebble_sem_post(word sem) { return pebble_call0(sem + 1); }
#define get_asid() pebble_get_asid()
#define get_thread() pebble_get_thread()
#define hrtime() pebble_hrtime()
#define hrttime() hrtime()
#define yield() pebble_yield()
#define sem_wait(sem) pebble_sem_wait(sem)
#define sem_post(sem) pebble_sem_post(sem)
#endif

#ifndef PEBBLE_STRICT
#define dp_register(dp, entry, procedures, stacks) (dp_register)(dp, (dp_entry *)(entry), procedures, stacks)
#define dp_connect(dp, entry) (dp_connect)(dp, (dp_entry *)(entry))
/* Entry points with int results are as good: the papers' programs have them. */
#define portal_register(name, spec, entry, constants, stacks) \
    (portal_register)(name, spec, (word (*)())(entry), constants, stacks)
#define portal_register_for(name, spec, entry, constants, stacks, asids, count) \
    (portal_register_for)(name, spec, (word (*)())(entry), constants, stacks, asids, count)
#define portal_register_asked(name, spec, entry, constants, stacks, portal, token) \
    (portal_register_asked)(name, spec, (word (*)())(entry), constants, stacks, portal, token)
#define portal_create_child(asid, portal, spec, constant, entry) \
    (portal_create_child)(asid, portal, spec, constant, (word (*)())(entry))
#define portal_create_stub(asid, portal, spec, intercept) \
    (portal_create_stub)(asid, portal, spec, (word (*)())(intercept))
#endif

#ifdef __cplusplus
}
#endif
#endif
