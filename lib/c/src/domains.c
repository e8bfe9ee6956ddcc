/* Domains and identity. */
#include "system.h"

void __pebble_before_domain_fork(void)
{
    /* The child gets a copy of the buffers: what is in them must not be written twice. */
    fflush(stdout);
    __pebble_locks_before_copy();
}
int domain_wait(int asid, int *status)
{
    struct ended ended;
    int result = pebble_domain_wait(asid, &ended);
    if (result == 0 && status)
        *status = ended.kind == 3 ? -EDEAD : (int)ended.status;
    return result;
}
int domain_kill(int asid)
{
    return pebble_domain_kill(asid);
}
