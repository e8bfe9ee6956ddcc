// expect stdout 300 domains came and went
// timeout 60
#include <pebble.h>
int main(void)
{
    int count = 0;
    for (int i = 0; i < 300; i++) {
        int status, child = domain_fork(0);
        if (child == 0)
            exit(i & 127);
        if (child < 0) {
            printf("domain %d: %s\n", i, pebble_strerror(child));
            return 1;
        }
        if (domain_wait(child, &status) == 0 && status == (i & 127))
            count++;
    }
    printf("%d domains came and went\n", count);
    return 0;
}
