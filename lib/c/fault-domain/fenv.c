/* The floating-point environment of a program in a software fault domain: its exception flags are its own, its rounding is to the nearest, since the verifier lets
   nobody change that (rule 5). In the place of picolibc's, which write both at once. */
#include <fenv.h>

static unsigned flags(void)
{
    unsigned now;
    __asm__ volatile("frflags %0" : "=r"(now));
    return now;
}
static void set_flags(unsigned wanted)
{
    __asm__ volatile("fsflags %0" : : "r"(wanted));
}
int fesetround(int mode)
{
    return mode != FE_TONEAREST;
}
int fesetenv(const fenv_t *environment)
{
    set_flags(*environment & FE_ALL_EXCEPT);
    return 0;
}
int feholdexcept(fenv_t *environment)
{
    *environment = flags();
    set_flags(0);
    return 0;
}
int feupdateenv(const fenv_t *environment)
{
    set_flags((*environment & FE_ALL_EXCEPT) | flags());
    return 0;
}
