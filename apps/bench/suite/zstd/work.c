#include "suite.h"
#include <stdlib.h>
#include <zstd.h>

enum { BYTES = 50000 };

void work(void)
{
    static char text[BYTES], packed[2 * BYTES], back[BYTES];
    suite_text(text, BYTES);
    for (int level = 1; level <= 6; level += 5) {
        size_t length = ZSTD_compress(packed, sizeof packed, text, BYTES, level);
        if (ZSTD_isError(length) || ZSTD_decompress(back, BYTES, packed, length) != BYTES)
            abort();
        suite_result(packed, 1000);
        suite_result(back + BYTES - 100, 100);
    }
}
