/* Polygons, as a user of the database has written them: nobody trusts this code. It uses no variables and calls nobody, so it runs anywhere.
   A polygon is its corners, x and y in metres, in their order. */
#ifndef POLYGONS_H
#define POLYGONS_H

#include <stdint.h>

struct corner {
    int32_t x, y;
};
/* What a function is given beside the polygon, and what it makes, where that is no number: a page. */
enum { OPERAND_VALUES = 1022 };
struct operand {
    uint32_t bytes, reserved; /* of `values`, on the way in and out */
    int32_t values[OPERAND_VALUES];
};
enum polygon_function {
    POLYGON_PARSE,     /* of a text "x y, x y, …": the polygon */
    POLYGON_SIZE,      /* square metres */
    POLYGON_OVERLAPS,  /* the box of the operand: left, bottom, right, top */
    POLYGON_IN_CIRCLE, /* that of the operand: x, y, radius */
    POLYGON_CONTAINS,  /* the point of the operand: x, y */
    POLYGON_MAKE_BOX,  /* of the operand: x, y, and how long a side is, in which they are the middle */
    POLYGON_FUNCTIONS,
};
/* Does `function` with the polygon, or the text, in `bytes` bytes at `polygon`: a number, 0 or 1, or the bytes that it has written to the operand;
   -22 (EINVAL): what it was given makes no sense. */
long polygon_function(long function, const void *polygon, long bytes, struct operand *operand);

#endif
