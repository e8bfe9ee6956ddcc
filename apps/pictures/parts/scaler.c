/* The scaler: stb_image_resize. */
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include "pictures.h"
#include <stb_image_resize.h>

PICTURE_PART("scale", scale)
/* 0, or an error. */
static word scale(word from, word size, word to, word wanted)
{
    int scaled = stbir_resize_uint8(PICTURE_AT(PICTURE_PIXELS, from), (int)PICTURE_WIDTH(size), (int)PICTURE_HEIGHT(size), 0,
                                    PICTURE_AT(PICTURE_SCALED, to), (int)PICTURE_WIDTH(wanted), (int)PICTURE_HEIGHT(wanted), 0, 3);
    return scaled ? 0 : -ENOMEM;
}
