#include "suite.h"
#include <libqhull_r.h>
#include <stdlib.h>

enum { POINTS = 200, DIMENSIONS = 3 };

void work(void)
{
    static coordT points[POINTS * DIMENSIONS];
    for (int n = 0; n < POINTS * DIMENSIONS; n++)
        points[n] = (suite_random() % 100000) / 1000.0;
    qhT state;
    qh_zero(&state, stderr);
    if (qh_new_qhull(&state, DIMENSIONS, POINTS, points, 0, "qhull Qt Fv", NULL, stderr))
        abort();
    qh_getarea(&state, state.facet_list);
    suite_result(&state.num_facets, sizeof state.num_facets);
    suite_result(&state.totvol, sizeof state.totvol);
    qh_freeqhull(&state, !qh_ALL);
    int current, total;
    qh_memfreeshort(&state, &current, &total);
}
