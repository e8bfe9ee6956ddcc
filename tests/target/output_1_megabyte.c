// expect output-bytes 1048576
// timeout 60
#include <pebble.h>
int main(void)
{
    for (int i = 0; i < 65536; i++)
        printf("%015d\n", i);
    return 0;
}
