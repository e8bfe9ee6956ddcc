#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_WRITE_NO_STDIO
#include "suite.h"
#include <stb_image.h>
#include <stb_image_write.h>

enum { WIDTH = 80, HEIGHT = 60 };

void work(void)
{
    static unsigned char image[WIDTH * HEIGHT * 3];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                image[(y * WIDTH + x) * 3 + c] = (unsigned char)(x * (c + 1) + (y * y >> 4) + (suite_random() & 3));
    int bytes, width, height, colours;
    unsigned char *packed = stbi_write_png_to_mem(image, WIDTH * 3, WIDTH, HEIGHT, 3, &bytes);
    if (!packed)
        abort();
    unsigned char *back = stbi_load_from_memory(packed, bytes, &width, &height, &colours, 3);
    if (!back || width != WIDTH || height != HEIGHT)
        abort();
    suite_result(packed, (size_t)bytes);
    suite_result(back, 1000);
    free(packed), free(back);
}
