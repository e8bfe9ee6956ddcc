/* The encoder: stb_image_write, PNG and JPEG. */
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include "pictures.h"
#include <stb_image_write.h>

PICTURE_PART("encode", encode)
struct output {
    unsigned char *to;
    size_t bytes;
};
static void append(void *context, void *data, int bytes)
{
    struct output *output = context;
    /* All is counted, and what there is room for is written. */
    if (output->bytes + (size_t)bytes <= PICTURE_ROOM)
        memcpy(output->to + output->bytes, data, (size_t)bytes);
    output->bytes += (size_t)bytes;
}
/* How many bytes, or an error. */
static word encode(word from, word size, word to, word format)
{
    struct output output = {PICTURE_AT(PICTURE_RESULT, to), 0};
    int width = (int)PICTURE_WIDTH(size), height = (int)PICTURE_HEIGHT(size);
    const unsigned char *pixels = PICTURE_AT(PICTURE_SCALED, from);
    int written = format == PICTURE_PNG ? stbi_write_png_to_func(append, &output, width, height, 3, pixels, 0)
                                        : stbi_write_jpg_to_func(append, &output, width, height, 3, pixels, 90);
    return !written ? -ENOMEM : output.bytes > PICTURE_ROOM ? -ENOSPC : (word)output.bytes;
}
