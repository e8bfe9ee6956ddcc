// arguments one two-three
// expect stdout 3 arguments: arguments one two-three
#include <pebble.h>
int main(int argc, char **argv)
{
    printf("%d arguments: %s %s %s\n", argc, argv[0], argv[1], argv[2]);
    return argv[argc] != 0;
}
