#include "suite.h"
#include <minilzo.h>
#include <stdlib.h>

enum { BYTES = 60000 };

void work(void)
{
    static unsigned char text[BYTES], packed[BYTES + BYTES / 16 + 100], back[BYTES];
    static lzo_align_t room[LZO1X_1_MEM_COMPRESS / sizeof(lzo_align_t) + 1];
    if (lzo_init() != LZO_E_OK)
        abort();
    for (int n = 0; n < 5; n++) {
        suite_text((char *)text, BYTES);
        lzo_uint length = 0, size = BYTES;
        if (lzo1x_1_compress(text, BYTES, packed, &length, room) != LZO_E_OK)
            abort();
        if (lzo1x_decompress_safe(packed, length, back, &size, NULL) != LZO_E_OK || size != BYTES)
            abort();
        suite_result(packed, 1000);
        suite_result(back + BYTES - 100, 100);
    }
}
