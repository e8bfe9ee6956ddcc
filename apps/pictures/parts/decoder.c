/* The decoder, which gets files from anywhere: stb_image 2.27, PNG and JPEG. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 16384
#include "pictures.h"
#include <stb_image.h>

PICTURE_PART("decode", decode)
/* The picture's size, or an error. */
static word decode(word file, word bytes, word to, word room)
{
    int width, height, colours;
    unsigned char *pixels = stbi_load_from_memory(PICTURE_AT(PICTURE_FILE, file), (int)bytes, &width, &height, &colours, 3);
    if (!pixels)
        return -EINVAL;
    word size = PICTURE_SIZE(width, height), result = picture_bytes(size) > room ? -ENOSPC : size;
    if (result == size)
        memcpy(PICTURE_AT(PICTURE_PIXELS, to), pixels, (size_t)picture_bytes(size));
    free(pixels);
    return result;
}
