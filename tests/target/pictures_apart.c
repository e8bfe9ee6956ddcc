// system pictures-apart
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
/* The program of pictures_in_parts.c with an address space for each part, by other lines of the manifest. */
#include "pictures_in_parts.c"
