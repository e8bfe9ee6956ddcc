/* Threads. */
#include "system.h"

int set_priority(int priority)
{
    return pebble_scheduler_set_priority(priority);
}
int thread_join(int thread)
{
    return pebble_scheduler_join(thread);
}
void thread_exit(void)
{
    for (;;)
        pebble_thread_exit();
}

/* What a new thread finds at the top of its stack. */
struct thread_start {
    void *tp;
    char *top, *low;
    void (*entry)(void *);
    void *argument;
};
void __pebble_thread_entry(struct thread_start *start);
void __pebble_resume_thread(void *tp);

void __pebble_thread_main(struct thread_start *start)
{
    __pebble_stack_top = start->top;
    __pebble_stack_low = start->low;
    start->entry(start->argument);
    thread_exit();
}
/* A block of thread-local variables that ends below `end`. */
static char *make_tls(char *end)
{
    return __pebble_tls((char *)((uintptr_t)(end - (size_t)__tls_size) & -64ul));
}
static int create(size_t stack, void (*entry)(void *), void *argument, int priority)
{
    word top = __pebble_has_threads() ? pebble_memory_stack(stack) : -ENOTSUP;
    if (top < 0)
        return top;
    char *tls = make_tls((char *)top);
    struct thread_start *start = (struct thread_start *)tls - 1;
    start = (struct thread_start *)((uintptr_t)start & -16ul);
    *start = (struct thread_start){tls, (char *)start, (char *)top - stack, entry, argument};
    return invoke_portal(SYS_THREAD_CREATE, __pebble_thread_entry, start, start, (word)priority);
}
int thread_create(void (*entry)(void *), void *argument, int priority)
{
    return create(THREAD_STACK, entry, argument, priority);
}
int __pebble_thread_on(size_t stack, void (*entry)(void *), void *argument)
{
    return create(stack, entry, argument, -1);
}
int thread_cancel(int thread)
{
    return pebble_thread_cancel(thread);
}

/* The part of fork in C: `sp` is where fork saved the registers. */
int __pebble_fork(char *sp)
{
    size_t used = __pebble_stack_top - sp, tls_size = (size_t)__tls_size;
    size_t size = used + tls_size + 8192 > THREAD_STACK ? used + tls_size + 16384 : THREAD_STACK;
    word top = pebble_memory_stack(size);
    if (top < 0)
        return top;
    char *tls = make_tls((char *)top);
    char *copy = (char *)((uintptr_t)(tls - used) & -16ul);
    memcpy(copy, sp, used);
    /* The child's own stack ends where its copy does. */
    char *own = ({ void *tp; __asm__("mv %0, tp" : "=r"(tp)); tp; });
    *(char **)(tls + ((char *)&__pebble_stack_top - own)) = copy + used;
    *(char **)(tls + ((char *)&__pebble_stack_low - own)) = (char *)top - size;
    return invoke_portal(SYS_THREAD_CREATE, __pebble_resume_thread, copy, tls, -1l);
}
