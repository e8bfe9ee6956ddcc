#include "suite.h"
#include <bzlib.h>
#include <stdlib.h>

enum { BYTES = 20000 };

void bz_internal_error(int error) { (void)error, abort(); }
void work(void)
{
    static char text[BYTES], packed[BYTES + 2000], back[BYTES];
    suite_text(text, BYTES);
    unsigned length = sizeof packed, size = BYTES;
    if (BZ2_bzBuffToBuffCompress(packed, &length, text, BYTES, 9, 0, 0) != BZ_OK)
        abort();
    if (BZ2_bzBuffToBuffDecompress(back, &size, packed, length, 0, 0) != BZ_OK)
        abort();
    suite_result(packed, length);
    suite_result(back + BYTES - 100, 100);
}
