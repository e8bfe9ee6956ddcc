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

#define NPORTALS 512 /* entries of a portal table; 0 is "return" */
#define NAMELEN  64  /* longest name or specification, with its 0 */
#define SYS_EXIT 1   /* portal number of exit in every domain */

/* Errors that POSIX does not name. */
#define EPORTAL  201 /* no portal of this number */
#define EDEAD    202 /* the other side died, or nobody is left who could end the wait */
#define ENOSTACK 203 /* the callee has no stack */
#define EACCESS  204 /* not allowed by the manifest */
#define EDEPTH   205 /* too many nested portal calls */
#define EWINDOW  206 /* too many open windows */
#define ESPEC    0x1000 /* a specification was rejected: -(ESPEC + reason * 256 + position) */
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
int fork(void) __attribute__((returns_twice));
    /* A new thread in this domain that goes on from the call on a copy of the stack, at another address: pointers into
       the stack still point to the parent's. 0 in the child, the child's id in the parent. */
int thread_create(void (*entry)(void *), void *argument, int priority); /* id; priority -1: the caller's */
int thread_join(int thread);       /* until it has ended */
void thread_exit(void) __attribute__((noreturn));
void yield(void);
int set_priority(int priority);    /* an application may lower its own */

/* Domains. */
int domain_fork(int (*intercept)(int portal, int p1, int p2, int p3, int p4, int p5)) __attribute__((returns_twice));
    /* A new domain with a copy of this one's memory, at the same addresses, and of its portal table. With intercept, every
       entry of the child's table calls it here, with the portal's number first. 0 in the child, its asid in the parent. */
int domain_wait(int asid, int *status); /* until the child ends; its exit status, or minus the fault's cause */
int domain_kill(int asid);
/* exit(status) ends the domain. */

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
int portal_unregister(const char *name);
int portal_open(const char *name);          /* its number */
int portal_close(int portal);
word invoke_portal(int portal, ...);        /* up to six words */
int portal_create_child(int asid, int portal, const char *spec, word constant, word (*entry)());
int portal_notify(int (*notify)(int asid, int portal, char *spec));
int portal_info(int portal, char spec[NAMELEN], char name[NAMELEN]);

#ifndef PEBBLE_STRICT
/* Entry points with int results are as good: the papers' programs have them. */
#define portal_register(name, spec, entry, constants, stacks) \
    (portal_register)(name, spec, (word (*)())(entry), constants, stacks)
#define portal_create_child(asid, portal, spec, constant, entry) \
    (portal_create_child)(asid, portal, spec, constant, (word (*)())(entry))
#endif

#ifdef __cplusplus
}
#endif
#endif
