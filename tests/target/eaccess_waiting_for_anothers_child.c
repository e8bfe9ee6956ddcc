// expect stdout a stranger's wait: not allowed by the manifest
// expect stdout the parent's wait: 3
#include <pebble.h>
int main(void)
{
    int ended = domain_fork(0), status;
    if (ended == 0)
        exit(3);
    hrsleep(1000000);
    int stranger = domain_fork(0);
    if (stranger == 0) {
        printf("a stranger's wait: %s\n", pebble_strerror(domain_wait(ended, &status)));
        exit(0);
    }
    domain_wait(stranger, &status);
    domain_wait(ended, &status);
    printf("the parent's wait: %d\n", status);
    return 0;
}
