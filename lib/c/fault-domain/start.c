/* The start of a C program in a software fault domain, in the place of crt0.S, start.c and calls.S. The host has laid out the start block,
   the stack and the thread's variables; there is one thread, and what needs more is refused. */
#include "../src/system.h"

/* In line as in pebble.h; here they are functions too. */
#undef invoke_portal
#undef get_asid
#undef get_thread
#undef hrtime
#undef hrttime
#undef yield
#undef sem_wait
#undef sem_post

int main(int argc, char **argv);
extern void (*__bothinit_array_start[])(void), (*__bothinit_array_end[])(void);

__thread char *__pebble_stack_top;
/* Where the program has them: standard streams, and variables. */
__attribute__((weak)) void __pebble_inherit(const struct start *start);
extern char **environ __attribute__((weak));

void __attribute__((noreturn, section(".text.start"))) _start(struct start *start)
{
    __pebble_stack_top = (char *)start;
    __pebble_stack_low = (char *)start - MAIN_STACK / 2;
    if (&environ)
        environ = start->argv + start->argc + 1;
    if (start->inherited && __pebble_inherit)
        __pebble_inherit(start);
    for (void (**f)(void) = __bothinit_array_start; f < __bothinit_array_end; f++)
        (*f)();
    exit(main((int)start->argc, start->argv));
}
void _exit(int status)
{
    if (!__pebble_stdout_is_broken)
        fflush(stdout);
    for (;;)
        pebble_call1(SYS_EXIT, status);
}

word invoke_portal(int portal, ...)
{
    __builtin_va_list rest;
    __builtin_va_start(rest, portal);
    word w[6];
    for (int n = 0; n < 6; n++)
        w[n] = __builtin_va_arg(rest, word);
    __builtin_va_end(rest);
    return pebble_call6(portal, w[0], w[1], w[2], w[3], w[4], w[5]);
}
int get_asid(void) { return pebble_get_asid(); }
int get_thread(void) { return pebble_get_thread(); }
unsigned long long hrtime(void) { return pebble_hrtime(); }
unsigned long long hrttime(void) { return pebble_hrtime(); }
void yield(void) { pebble_yield(); }
int sem_wait(int sem) { return pebble_sem_wait(sem); }
int sem_post(int sem) { return pebble_sem_post(sem); }

/* Its stack is the only one. */
void __pebble_call_on(char *top, void (*handler)(int), int signal) { (void)top, handler(signal); }
/* More threads, and copies of the domain. */
int fork(void) { return -ENOTSUP; }
int domain_fork(word (*intercept)(word, word, word, word, word, word)) { return (void)intercept, -ENOTSUP; }
void __pebble_resume_thread(void *tp) { (void)tp, abort(); }
void __pebble_thread_entry(void *start) { (void)start, abort(); }
void *__pebble_tls(void *block) { return block; }
int __pebble_has_threads(void) { return 0; }
