/* The untrusted functions as a fault domain: what the database loads from a file. */
#include "polygons.h"
#include <fault_domain.h>

FAULT_DOMAIN(polygon_function)
