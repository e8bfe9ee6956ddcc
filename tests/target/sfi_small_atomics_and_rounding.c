// isolation sfi
// expect stdout right
/* A software fault domain has atomic operations on 8 and 16 bits, functions of the environment of floating-point numbers, and random bytes, none of which the verifier
   refuses. */
#include <fenv.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **unused)
{
    (void)unused;
    atomic_bool flag = false;
    bool wanted = false;
    _Atomic short number = count;
    fenv_t before;
    if (!atomic_compare_exchange_strong(&flag, &wanted, true) || atomic_fetch_add(&number, 3) != count)
        return 1;
    feclearexcept(FE_ALL_EXCEPT);
    if (nearbyint(count + 1.5) != 2 || fetestexcept(FE_INEXACT) || rint(count + 0.4) != 1 || !fetestexcept(FE_INEXACT))
        return 2;
    if (feholdexcept(&before) || fetestexcept(FE_ALL_EXCEPT) || fesetenv(&before) || !fetestexcept(FE_INEXACT))
        return 3;
    if (fesetround(FE_UPWARD) == 0 || fesetround(FE_TONEAREST) != 0)
        return 4;
    unsigned random[4] = {arc4random(), arc4random(), arc4random(), arc4random()};
    puts(random[0] == random[1] && random[2] == random[3] ? "not random" : "right");
    return 0;
}
