#include "suite.h"
#include <cminpack.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = 200, PARAMETERS = 5, UNKNOWNS = 24 };

static double measured[POINTS];

/* Two decays and a constant. */
static int decays(void *p, int m, int n, const double *x, double *f, int flag)
{
    (void)p, (void)n, (void)flag;
    for (int i = 0; i < m; i++) {
        double t = 0.05 * i;
        f[i] = measured[i] - (x[0] * exp(-x[1] * t) + x[2] * exp(-x[3] * t) + x[4]);
    }
    return 0;
}
/* Broyden's tridiagonal equations. */
static int tridiagonal(void *p, int n, const double *x, double *f, int flag)
{
    (void)p, (void)flag;
    for (int k = 0; k < n; k++)
        f[k] = (3 - 2 * x[k]) * x[k] - (k ? x[k - 1] : 0) - 2 * (k + 1 < n ? x[k + 1] : 0) + 1;
    return 0;
}
void work(void)
{
    for (int i = 0; i < POINTS; i++)
        measured[i] = 5 * exp(-0.3 * 0.05 * i) + 3 * exp(-2 * 0.05 * i) + 1 + 1e-3 * (suite_random() % 100);
    enum { ROOM = POINTS * PARAMETERS + 5 * PARAMETERS + POINTS, ROOM2 = UNKNOWNS * (3 * UNKNOWNS + 13) / 2 + UNKNOWNS };
    static double room[ROOM], room2[ROOM2];
    double x[PARAMETERS] = { 4, 0.5, 2, 1.5, 0.5 }, f[POINTS], y[UNKNOWNS], g[UNKNOWNS];
    int places[PARAMETERS];
    int info = lmdif1(decays, NULL, POINTS, PARAMETERS, x, f, 1e-10, places, room, ROOM);
    suite_result(&info, sizeof info);
    suite_result(x, sizeof x);
    for (int k = 0; k < UNKNOWNS; k++)
        y[k] = -1;
    info = hybrd1(tridiagonal, NULL, UNKNOWNS, y, g, 1e-12, room2, ROOM2);
    suite_result(&info, sizeof info);
    suite_result(y, sizeof y);
}
