/* In place of the machine's source of random bytes, for tests of what is done with them: numbers that anybody could foresee. */
#include <pebble.h>

static uint64_t state = 0x9e3779b97f4a7c15;
static word gives(unsigned char *to, word bytes)
{
    word room = 4096 - (word)to % 4096, count = bytes < room ? bytes : room;
    for (word n = 0; n < count; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        to[n] = state >> 56;
    }
    return count;
}
int main(void)
{
    if (portal_register("entropy.read", "npwi", gives, NULL, 1) < 0)
        return 1;
    thread_exit();
}
