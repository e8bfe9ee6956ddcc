// system pictures
// timeout 60
// icount
// expect stdout a good picture, PNG: 96 x 64
// expect stdout a good picture, JPEG: 96 x 64
// expect stdout half a file, none, one of no picture, one that has no room: refused
// expect stdout a picture that has the decoder write out of bounds ends the decoder alone, and the next is decoded: 3 times
// expect stdout no domain more or less than before
// expect stderr decoder (domain 
// expect stderr was stopped: load page fault
// expect stderr starting decoder again
/* A program in parts: decoder, scaler and encoder are domains of protection in its address space, by lines of the manifest. */
#include "include/pictures.h"

/* How many domains there are. */
static struct { uint64_t counts[15]; } __attribute__((aligned(128))) counted;
static uint64_t domains(void)
{
    static int portal;
    if (portal <= 0)
        portal = portal_open("inspect.counts");
    return invoke_portal(portal, &counted) == 0 ? counted.counts[0] : 0;
}
int main(void)
{
    good(PICTURE_PNG, "PNG"), good(PICTURE_JPEG, "JPEG");
    broken();
    uint64_t before = domains();
    for (int n = 0; n < 3; n++) {
        word made, size = scales(writes_out_of_bounds(), &made);
        if (size != -EDEAD || strcmp(who, "decoder"))
            fails("a picture that has the decoder write out of bounds", size);
        size = scales(draws(PICTURE_JPEG), &made);
        if (size != PICTURE_SIZE(96, 64))
            fails("the next", size);
    }
    puts("a picture that has the decoder write out of bounds ends the decoder alone, and the next is decoded: 3 times");
    if (domains() != before)
        fails("domains", (word)domains());
    puts("no domain more or less than before");
    costs("PNG", draws(PICTURE_PNG)), costs("JPEG", draws(PICTURE_JPEG));
    return 0;
}
