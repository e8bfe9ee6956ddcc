#include "suite.h"
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>

enum { BYTES = 40000, BOUND = LZ4_COMPRESSBOUND(BYTES) };

void work(void)
{
    static char text[BYTES], packed[BOUND], back[BYTES];
    suite_text(text, BYTES);
    for (int level = 0; level <= 3; level += 3) {
        int length = level == 0 ? LZ4_compress_default(text, packed, BYTES, BOUND) : LZ4_compress_HC(text, packed, BYTES, BOUND, level);
        if (length <= 0 || LZ4_decompress_safe(packed, back, length, BYTES) != BYTES)
            abort();
        suite_result(packed, 1000);
        suite_result(back + BYTES - 100, 100);
    }
}
