/* The C library's, with what keeps the signals that are blocked. */
#ifndef PEBBLE_SETJMP_H
#define PEBBLE_SETJMP_H
#include_next <setjmp.h>
#include <signal.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
    jmp_buf registers;
    sigset_t blocked;
    int saved;
} sigjmp_buf[1];
void __pebble_save_blocked(sigjmp_buf place, int saves);
void siglongjmp(sigjmp_buf place, int value) __attribute__((__noreturn__));
/* setjmp has to be called where its caller is that it comes back to. */
#define sigsetjmp(place, saves) (__pebble_save_blocked(place, saves), setjmp((place)->registers))
#define _setjmp(place) setjmp(place)
#define _longjmp(place, value) longjmp(place, value)
#ifdef __cplusplus
}
#endif
#endif
