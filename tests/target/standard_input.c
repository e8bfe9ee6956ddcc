// stdin first line
// expect stdout read: first line
// expect stdout end of input
#include <pebble.h>
int main(void)
{
    char line[100];
    while (fgets(line, sizeof line, stdin))
        printf("read: %s", line);
    printf("end of input\n");
    return 0;
}
