/* From _start to main, and the end. */
#include "system.h"
#include <picotls.h>

int main(int argc, char **argv);
extern void (*__bothinit_array_start[])(void), (*__bothinit_array_end[])(void);

__thread char *__pebble_stack_top;

void *__pebble_tls(void *block)
{
    _init_tls(block);
    return block;
}

/* Where the program has them: standard streams, and variables. */
__attribute__((weak)) void __pebble_inherit(const struct start *start);
extern char **environ __attribute__((weak));

extern const size_t pebble_main_stack __attribute__((weak));

static __attribute__((noreturn)) void call_main(struct start *start)
{
    for (void (**f)(void) = __bothinit_array_start; f < __bothinit_array_end; f++)
        (*f)();
    exit(main((int)start->argc, start->argv));
}
/* The same on another stack; what is on this one stays. */
static __attribute__((noreturn)) void call_main_on(char *top, size_t bytes, struct start *start)
{
    __pebble_stack_top = top;
    __pebble_stack_low = top - bytes;
    register struct start *argument __asm__("a0") = start;
    __asm__ volatile("mv sp, %0\n\tjr %1" : : "r"(top), "r"(call_main), "r"(argument) : "memory");
    __builtin_unreachable();
}
void __pebble_start(struct start *start)
{
    __pebble_stack_top = (char *)start;
    /* The start block may have half of it. */
    __pebble_stack_low = (char *)start - MAIN_STACK / 2;
    void *tp;
    __asm__("mv %0, tp" : "=r"(tp));
    invoke_portal(SYS_SET_TP, tp);
    if (&environ)
        environ = start->argv + start->argc + 1;
    if (start->inherited && __pebble_inherit)
        __pebble_inherit(start);
    if (&pebble_main_stack) {
        word top = invoke_portal(SYS_STACK, pebble_main_stack);
        /* As shells call it: it could not be executed. */
        while (top < 0)
            invoke_portal(SYS_EXIT, 126);
        call_main_on((char *)top, pebble_main_stack, start);
    }
    call_main(start);
}

int __pebble_has_threads(void) { return 1; }

void _exit(int status)
{
    if (!__pebble_stdout_is_broken)
        fflush(stdout);
    for (;;)
        invoke_portal(SYS_EXIT, status);
}
