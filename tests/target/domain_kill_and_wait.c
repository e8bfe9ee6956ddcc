// expect stdout killed: -202
// expect stdout again: no such thread or domain
// expect stdout not ours: not allowed by the manifest
#include <pebble.h>
int main(void)
{
    int child = domain_fork(0), status = 0;
    if (child == 0)
        for (;;)
            yield();
    yield();
    if (domain_kill(child) != 0 || domain_wait(child, &status) != 0)
        return 1;
    printf("killed: %d\n", status);
    printf("again: %s\n", domain_wait(child, &status) == -ESRCH ? "no such thread or domain" : "?");
    printf("not ours: %s\n", pebble_strerror(domain_kill(3)));
    return 0;
}
