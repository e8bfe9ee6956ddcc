// isolation sfi
// loads
// expect stdout the jump table
/* Where loads are kept in too, what lies at an address of the host's is not read, but what lies there in the segment: the jump table, whose
   first word is a jal. */
#include <stdio.h>

int main(void)
{
    volatile unsigned *host = (volatile unsigned *)0x10000;
    puts((host[0] & 0x7f) == 0x6f && host[1023] == 0 ? "the jump table" : "something else");
    return 0;
}
