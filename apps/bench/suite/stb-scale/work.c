#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include "suite.h"
#include <stb_image_resize.h>
#include <stb_image_write.h>

enum { WIDTH = 80, HEIGHT = 60, TO_WIDTH = 60, TO_HEIGHT = 45 };

static void written(void *context, void *bytes, int count) { (void)context, suite_result(bytes, (size_t)count); }
void work(void)
{
    static unsigned char image[WIDTH * HEIGHT * 3], smaller[TO_WIDTH * TO_HEIGHT * 3];
    for (int n = 0; n < WIDTH * HEIGHT * 3; n++)
        image[n] = (unsigned char)(n / 7 + (suite_random() & 15));
    if (!stbir_resize_uint8_srgb(image, WIDTH, HEIGHT, 0, smaller, TO_WIDTH, TO_HEIGHT, 0, 3, STBIR_ALPHA_CHANNEL_NONE, 0))
        abort();
    suite_result(smaller, sizeof smaller);
    stbi_write_jpg_to_func(written, NULL, TO_WIDTH, TO_HEIGHT, 3, smaller, 80);
}
