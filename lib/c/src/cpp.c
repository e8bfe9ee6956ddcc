/* What compiled C++ calls: memory, and the ends that it must not come to. There is no C++ library. */
#include "system.h"
#include <stdlib.h>

/* `operator new` and `operator delete` by the names that the compiler gives them (Itanium C++ ABI, 5.1). */
void *_Znwm(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block)
        abort(); /* nothing can be thrown */
    return block;
}
void *_Znam(size_t bytes) { return _Znwm(bytes); }
void _ZdlPv(void *block) { free(block); }
void _ZdaPv(void *block) { free(block); }
void _ZdlPvm(void *block, size_t bytes) { free(block); }
void _ZdaPvm(void *block, size_t bytes) { free(block); }

/* A call of a function that only a derived class has. */
void __cxa_pure_virtual(void) { abort(); }

/* Which program's destructors run at its end: there is one. */
void *__dso_handle;
