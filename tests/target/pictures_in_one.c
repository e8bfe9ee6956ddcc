// system pictures-in-one
// timeout 60
// icount
// expect status 126
// expect stdout a good picture, PNG: 96 x 64
// expect stdout a good picture, JPEG: 96 x 64
// expect stdout half a file, none, one of no picture, one that has no room: refused
// expect stderr pictures_in_one (domain 
// expect stderr was stopped: load page fault
/* The parts of pictures_in_parts.c in the program itself, by other lines of the manifest: what ends one ends all. */
#include "include/pictures.h"

int main(void)
{
    good(PICTURE_PNG, "PNG"), good(PICTURE_JPEG, "JPEG");
    broken();
    costs("PNG", draws(PICTURE_PNG)), costs("JPEG", draws(PICTURE_JPEG));
    word made, size = scales(writes_out_of_bounds(), &made);
    fails("a picture that has the decoder write out of bounds", size);
    return 0;
}
