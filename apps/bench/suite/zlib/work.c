#include "suite.h"
#include <stdlib.h>
#include <zlib.h>

enum { BYTES = 50000 };

void work(void)
{
    static Bytef text[BYTES], packed[BYTES + 1000], back[BYTES];
    suite_text((char *)text, BYTES);
    for (int level = 1; level <= 9; level += 4) {
        uLongf length = sizeof packed, size = BYTES;
        if (compress2(packed, &length, text, BYTES, level) != Z_OK || uncompress(back, &size, packed, length) != Z_OK)
            abort();
        suite_result(packed, length);
        suite_result(back + BYTES - 100, 100);
    }
}
