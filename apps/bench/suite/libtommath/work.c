#include "suite.h"
#include <stdlib.h>
#include <string.h>
#include <tommath.h>

/* No randomness is asked for. */
mp_err s_mp_rand_platform(void *p, size_t n) { return (void)p, (void)n, MP_ERR; }
mp_err mp_rand(mp_int *a, int digits) { return (void)a, (void)digits, MP_ERR; }

void work(void)
{
    mp_int a, b, m, r;
    if (mp_init_multi(&a, &b, &m, &r, NULL) != MP_OKAY)
        abort();
    static char text[4000];
    /* A Mersenne prime is one by Fermat's little theorem; a factorial in decimal. */
    mp_2expt(&m, 607);
    mp_sub_d(&m, 1, &m);
    mp_set(&a, 3);
    mp_sub_d(&m, 1, &b);
    if (mp_exptmod(&a, &b, &m, &r) != MP_OKAY || mp_cmp_d(&r, 1) != MP_EQ)
        abort();
    mp_set(&r, 1);
    for (int n = 2; n < 300; n++)
        mp_mul_d(&r, n, &r);
    if (mp_to_radix(&r, text, sizeof text, NULL, 10) != MP_OKAY)
        abort();
    suite_result(text, strlen(text));
    mp_set(&a, 12345);
    mp_expt_u32(&a, 300, &b);
    mp_gcd(&b, &r, &a);
    mp_to_radix(&a, text, sizeof text, NULL, 16);
    suite_result(text, strlen(text));
    mp_clear_multi(&a, &b, &m, &r, NULL);
}
