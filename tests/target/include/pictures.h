/* Pictures through decoder, scaler and encoder (apps/pictures), wherever these are: good ones, broken ones, and one by which the decoder writes
   past its tables. */
#include "../../../apps/pictures/pictures.h"

static unsigned char picture[PICTURE_ROOM / 4];
static const char *who = "nobody";

static void fails(const char *what, word got)
{
    exit(printf("FAILED: %s: %ld of %s\n", what, got, who) > 0);
}
/* What the decoder gets. */
static word scales(word bytes, word *made)
{
    memcpy(pictures_region(PICTURE_FILE), picture, (size_t)bytes);
    return picture_scale(bytes, 48, PICTURE_PNG, made, &who);
}
/* A picture of 96 x 64 in one of the formats; its bytes. */
static word draws(enum picture_format format)
{
    for (int n = 0; n < 96 * 64 * 3; n++)
        pictures_region(PICTURE_SCALED)[n] = (unsigned char)(n % 3 * 40 + n / 288 * 3 + n % 97);
    word bytes = picture_encode(PICTURE_SIZE(96, 64), format);
    if (bytes <= 0 || bytes > (word)sizeof picture)
        fails("drawing", bytes);
    memcpy(picture, pictures_region(PICTURE_RESULT), (size_t)bytes);
    return bytes;
}
static void put(unsigned char **to, unsigned value, int bytes)
{
    while (bytes--)
        *(*to)++ = (unsigned char)(value >> 8 * bytes);
}
/* A JPEG file whose table has 656 codes, where 256 is what there may be: stb_image before 2.28 writes the other 400 past the table (issue
   1289 of stb), over what says where the codes of each length begin; it then looks a code up a gigabyte from there. */
static word writes_out_of_bounds(void)
{
    enum { CODES = 656, LARGEST = 516, BEGINS = 588, LENGTHS = 17 };
    unsigned char *to = picture;
    put(&to, 0xffd8ffc4, 4), put(&to, 2 + 17 + CODES, 2), put(&to, 0, 14);
    put(&to, 0xffff92, 3); /* 255, 255 and 146 codes of 14, 15 and 16 bits */
    for (int n = 0; n < CODES; n++)
        put(&to, n < LARGEST ? 0 : n < BEGINS ? 0xff : n % 4 == 3 ? 0x40 : 0, 1);
    _Static_assert(BEGINS + 4 * LENGTHS == CODES, "the bytes of one table behind its codes");
    put(&to, 0xffc0000b, 4), put(&to, 0x08000800, 4), put(&to, 0x08010111, 4), put(&to, 0, 1);
    put(&to, 0xffda0008, 4), put(&to, 0x01010000, 4), put(&to, 0x3f00, 2);
    for (int n = 0; n < 64; n++)
        put(&to, 0x55, 1);
    put(&to, 0xffd9, 2);
    return to - picture;
}
static void good(enum picture_format format, const char *name)
{
    word made = 0, bytes = draws(format), size = scales(bytes, &made);
    if (size != PICTURE_SIZE(96, 64) || made <= 0)
        fails(name, size);
    if (memcmp(pictures_region(PICTURE_RESULT), "\x89PNG\r\n", 6))
        fails("what was made", made);
    printf("a good picture, %s: 96 x 64\n", name);
}
static void broken(void)
{
    word made, bytes = draws(PICTURE_PNG);
    if (scales(bytes / 2, &made) != -EINVAL || scales(0, &made) != -EINVAL)
        fails("half a file", made);
    picture[bytes / 2] ^= 0x10, picture[1] = 'p';
    if (scales(bytes, &made) != -EINVAL || strcmp(who, "decoder"))
        fails("a wrong first line", made);
    bytes = draws(PICTURE_JPEG);
    for (int n = 0; n < 600; n++)
        if (picture[n] == 0xff && picture[n + 1] == 0xc0)
            picture[n + 5] = picture[n + 7] = 3; /* 800 and more pixels wide and high */
    word size = scales(bytes, &made);
    if (size != -ENOSPC)
        fails("a picture without room", size);
    puts("half a file, none, one of no picture, one that has no room: refused");
}
static unsigned long instructions(void)
{
    unsigned long count;
    __asm__ volatile("rdinstret %0" : "=r"(count));
    return count;
}
static void costs(const char *name, word bytes)
{
    word made;
    scales(bytes, &made);
    unsigned long start = instructions();
    scales(bytes, &made);
    printf("%s: %lu instructions\n", name, instructions() - start);
}
