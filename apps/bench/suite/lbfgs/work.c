#include "suite.h"
#include <lbfgs.h>
#include <stdlib.h>

enum { UNKNOWNS = 100 };

/* Rosenbrock's function, of many variables. */
static lbfgsfloatval_t evaluate(void *p, const lbfgsfloatval_t *x, lbfgsfloatval_t *g, const int n, const lbfgsfloatval_t step)
{
    (void)p, (void)step;
    lbfgsfloatval_t value = 0;
    for (int i = 0; i < n; i += 2) {
        lbfgsfloatval_t a = 1 - x[i], b = 10 * (x[i + 1] - x[i] * x[i]);
        g[i + 1] = 20 * b;
        g[i] = -2 * (x[i] * g[i + 1] + a);
        value += a * a + b * b;
    }
    return value;
}
void work(void)
{
    lbfgsfloatval_t *x = lbfgs_malloc(UNKNOWNS), value;
    if (!x)
        abort();
    for (int n = 0; n < 5; n++) {
        for (int i = 0; i < UNKNOWNS; i++)
            x[i] = (suite_random() % 400 - 200.0) / 100;
        int status = lbfgs(UNKNOWNS, x, &value, evaluate, NULL, NULL, NULL);
        suite_result(&status, sizeof status);
        suite_result(x, UNKNOWNS * sizeof *x);
    }
    lbfgs_free(x);
}
