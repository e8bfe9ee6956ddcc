/* The data of the benchmark, drawn from a seed. Sequoia 2000's own are land use of the United States by the Geological Survey, 46 corners a
   polygon; these have as many, at random places of a square region. */
#include "data.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { FEWEST = 12, MOST = 80, NEAREST = 1000, FARTHEST = 20000 };

static uint32_t state;

void data_begin(void) { state = 2463534242; }
/* xorshift32: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (14), 2003. */
unsigned data_below(unsigned end)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % end;
}
void data_polygon(char *to, size_t bytes)
{
    int corners = FEWEST + (int)data_below(MOST - FEWEST + 1);
    double x = data_below(REGION), y = data_below(REGION);
    unsigned radius = NEAREST + data_below(FARTHEST - NEAREST);
    size_t at = 0;
    for (int n = 0; n < corners; n++) {
        /* Its corners lie around the place in their order, so no side crosses another. */
        double angle = 2 * 3.14159265358979 * n / corners, far = radius / 2 + data_below(radius / 2);
        at += (size_t)snprintf(to + at, bytes - at, "%s%d %d", n ? ", " : "", (int)(x + far * cos(angle)), (int)(y + far * sin(angle)));
    }
}
