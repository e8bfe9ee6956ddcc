// expect stdout rmdir: Device or resource busy
// expect stdout rename: Device or resource busy
/* The root stays where it is. */
#include <pebble.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "worked");
}
int main(void)
{
    say("rmdir", rmdir("/"));
    say("rename", rename("/", "a"));
    return 0;
}
