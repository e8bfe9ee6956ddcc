/* The ways in which the database calls the untrusted functions. */
#ifndef CROSSINGS_H
#define CROSSINGS_H

#include "polygons.h"

/* Chooses one: "unprotected", "profile" (the same, and its time is added up), "sfi", "sfi-loads", "dp", "domain"; 0, or an error that was said. */
int crossing_choose(const char *way);
/* Where the operand of the next call is made, and what the call has written is found: where both sides can write. It stays as it is until the
   next call, for nobody else runs on the other side. */
struct operand *crossing_operand(void);
/* As polygon_function, with that operand. */
long crossing_call(long function, const void *polygon, long bytes);
/* Calls so far, and, of "profile", cycles in them. */
extern unsigned long crossing_calls, crossing_cycles;

#endif
