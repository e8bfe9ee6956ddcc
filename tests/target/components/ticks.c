/* Says each second that it is there, as many times as its argument says: whether something of a higher priority lets it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    for (int n = 0; n < (count > 1 ? atoi(arguments[1]) : 1); n++) {
        sleep(1);
        printf("%d\n", n);
        fflush(stdout);
    }
    printf("end\n");
}
