/* The portals that every domain has, and the structures that they take: lib/abi/src/system.rs in C. */
#ifndef PEBBLE_SYSTEM_H
#define PEBBLE_SYSTEM_H

#include <pebble.h>

#define SYS_THREAD_EXIT 2
#define SYS_THREAD_CREATE 3
#define SYS_YIELD 4
#define SYS_SLEEP 5
#define SYS_GET_ASID 6
#define SYS_GET_THREAD 7
#define SYS_HRTIME 8
#define SYS_SEM_CREATE 9
#define SYS_SEM_DESTROY 10
#define SYS_PORTAL_REGISTER 11
#define SYS_PORTAL_UNREGISTER 12
#define SYS_PORTAL_OPEN 13
#define SYS_PORTAL_CLOSE 14
#define SYS_PORTAL_CREATE_CHILD 15
#define SYS_PORTAL_NOTIFY 16
#define SYS_PORTAL_INFO 17
#define SYS_DOMAIN_FORK 18
#define SYS_DOMAIN_WAIT 19
#define SYS_DOMAIN_KILL 20
#define SYS_GROW 21
#define SYS_SET_PRIORITY 22
#define SYS_THREAD_JOIN 23
#define SYS_SET_TP 24
#define SYS_STACK 25
#define SYS_PAGER 28
#define SYS_PAGE 29
#define SYS_THREAD_CANCEL 32
#define SYS_PORTAL_CALLERS 33
#define SYS_LOCK_WAIT 35
#define SYS_LOCK_RELEASE 36
#define SYS_PORTAL_ADMIT 37
#define SYS_FIRST_FREE 40

/* locks.c: around the copying of the domain, in the one that is copied and in the copy. */
void __pebble_locks_before_copy(void);
void __pebble_locks_after_copy(void);
void __pebble_locks_in_copy(void);
/* Called in the copy then, those that are not NULL. */
enum { COPY_OF_MAPPINGS, COPY_OF_TIMERS, COPY_OF_SIGNALS, COPY_OF_PAUSES, COPY_HOOKS };
extern void (*__pebble_in_copy[COPY_HOOKS])(void);

#define PAGE 4096ul
#define THREAD_STACK 32768ul

struct start {
    uint64_t argc;
    char **argv;
    uint32_t device_count;
    uint16_t inherited, starter;
    void *devices;
};
struct registration {
    char name[NAMELEN];
    char spec[NAMELEN];
    uint64_t entry, stacks, constants[6];
    uint64_t admission, asked, token;
    uint32_t admitted[PORTAL_ADMITTED];
} __attribute__((aligned(256)));
enum { ADMIT_ALL, ADMIT_LISTED, ADMIT_WITHDRAWN, ADMIT_ASKED };
struct child {
    char spec[NAMELEN];
    uint64_t asid, portal, constant, entry;
} __attribute__((aligned(128)));
struct description {
    char spec[NAMELEN];
    char name[NAMELEN];
} __attribute__((aligned(128)));
struct ended {
    uint32_t asid, account;
    uint64_t kind;
    int64_t status;
    uint64_t cause, address, pc, pager, waited;
} __attribute__((aligned(64)));

/* Whether the domain is about to end because nobody takes its standard output. */
extern int __pebble_stdout_is_broken;
/* The portal called `name`, which is opened at the first use and kept in `portal`; < 0: why it could not be. */
int __pebble_opened(int *portal, const char *name);
/* Top of the stack that this thread runs on; what lies below it is copied by fork. */
extern __thread char *__pebble_stack_top;
/* thread_create with a stack of so many bytes. */
int __pebble_thread_on(size_t stack, void (*entry)(void *), void *argument);
/* Makes the block of thread-local variables at `block` and returns it. */
void *__pebble_tls(void *block);
extern char __tls_size[];

/* Copies a string to a field; 0 if it does not fit. */
static inline int copy_name(char to[NAMELEN], const char *from)
{
    to = __builtin_assume_aligned(to, 8);
    memset(to, 0, NAMELEN);
    for (size_t n = 0; n < NAMELEN; n++)
        if (!(to[n] = from[n]))
            return 1;
    return 0;
}
#endif
