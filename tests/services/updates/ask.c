/* Asks a server which version it is, by a portal that it keeps: "again" has it ask until another one answers, and say whether a call failed. */
#include <pebble.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int portal = portal_open("says.version");
    word first = invoke_portal(portal);
    if (argc < 2 || strcmp(argv[1], "again") != 0) {
        printf("version %ld\n", (long)first);
        return first < 0;
    }
    printf("from version %ld\n", (long)first);
    for (long calls = 0;; calls++) {
        word answer = invoke_portal(portal);
        if (answer != first) {
            printf("version %ld after %ld calls\n", (long)answer, calls);
            return answer < 0;
        }
    }
}
