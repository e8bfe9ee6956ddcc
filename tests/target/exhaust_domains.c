// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static int take(int count)
{
    (void)count;
    int child = domain_fork(NULL);
    if (child == 0)
        hrsleep(~0ull >> 2);
    return child >= 0;
}
int main(void)
{
    return exhaust("domains", 1);
}
