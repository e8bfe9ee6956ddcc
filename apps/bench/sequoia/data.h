/* The data: points and polygons of a region, drawn from a seed. See docs/src/fault-domains.md. */
#ifndef DATA_H
#define DATA_H

#include <stddef.h>

enum { REGION = 2000000, LANDUSES = 40 }; /* metres from side to side; kinds of land use, from 0 */

/* Begins anew. */
void data_begin(void);
/* A number below `end`. */
unsigned data_below(unsigned end);
/* The text of the next polygon: 12 to 80 corners around a place, 1 to 20 km from it. */
void data_polygon(char *to, size_t bytes);

#endif
