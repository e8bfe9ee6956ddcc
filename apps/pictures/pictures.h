/*
 * Pictures made smaller, by a program in three parts: a decoder, a scaler and an encoder, all of others' code (stb). Which of them are apart
 * from the program, and how, the manifest says: they are linked into it, domains of protection in its space, or have an address space each.
 *
 * What goes from part to part lies in four regions of the program's memory. Each part reads one and writes the next; where it is a domain of
 * protection, it sees these two and no other.
 *
 *     file --decoder--> pixels --scaler--> scaled --encoder--> result
 *
 * A part's procedures, by name (X: decode, scale, encode):
 *
 *     picture.X.place (pages, bytes, region, address): the region that the program has at `address` is at `pages` here
 *     picture.X.do    (from, a, to, b): reads at `from`, writes at `to`, addresses of the program's
 */
#ifndef PICTURES_H
#define PICTURES_H

#include <pebble.h>

enum picture_region { PICTURE_FILE, PICTURE_PIXELS, PICTURE_SCALED, PICTURE_RESULT, PICTURE_REGIONS };
#ifndef PICTURE_PAGES /* of each region: as many as a call can share, where the parts have address spaces of their own */
#define PICTURE_PAGES 256
#endif
enum { PICTURE_ROOM = PICTURE_PAGES * 4096 };
/* Width and height in a word; three bytes a pixel. */
#define PICTURE_SIZE(width, height) ((word)(width) << 16 | (height))
#define PICTURE_WIDTH(size) ((size) >> 16)
#define PICTURE_HEIGHT(size) ((size) & 0xffff)
static inline word picture_bytes(word size) { return PICTURE_WIDTH(size) * PICTURE_HEIGHT(size) * 3; }

/* For the program. */
enum picture_format { PICTURE_PNG, PICTURE_JPEG };
/* Makes a picture `width` wide: the size that it had, or an error, of the part that `who` then names. Its file, `bytes` long, is at
   pictures_region(PICTURE_FILE); the result's, `*made` bytes, is at pictures_region(PICTURE_RESULT). Decoder: -EINVAL: no picture, or one
   that its format does not allow; -ENOSPC: it is too large. Any: -EDEAD: the part has ended, and is connected to again at the next call. */
word picture_scale(word bytes, word width, enum picture_format format, word *made, const char **who);
/* Encodes what is at pictures_region(PICTURE_SCALED); bytes, or an error. */
word picture_encode(word size, enum picture_format format);
unsigned char *pictures_region(enum picture_region region);

/* For a part: PICTURE_PART(name, procedure) has it there as soon as its program starts. */
#ifdef PICTURES_SHARED /* its program has another address space: pages are shared with it */
#define PICTURE_PLACE "npSiii"
#else
#define PICTURE_PLACE "npiiii"
#endif
#define PICTURE_PART(name, procedure)                                                                                  \
    static unsigned char *places[PICTURE_REGIONS];                                                                     \
    static word addresses[PICTURE_REGIONS];                                                                            \
    static word place(unsigned char *pages, word bytes, word region, word address)                                     \
    {                                                                                                                  \
        if (region < 0 || region >= PICTURE_REGIONS)                                                                   \
            return -EINVAL;                                                                                            \
        places[region] = pages, addresses[region] = address;                                                           \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static word procedure(word from, word a, word to, word b);                                                         \
    __attribute__((constructor)) static void provide(void)                                                             \
    {                                                                                                                  \
        int placed = portal_register("picture." name ".place", PICTURE_PLACE, place, NULL, 1);                         \
        int done = portal_register("picture." name ".do", "npiiii", procedure, NULL, 1);                               \
        if (placed < 0 || done < 0)                                                                                    \
            exit(printf("picture." name ": %s\n", pebble_strerror(placed < 0 ? placed : done)));                       \
    }
/* Where a part has what the program has at `address`. */
#define PICTURE_AT(region, address) (places[region] + ((address) - addresses[region]))

#endif
