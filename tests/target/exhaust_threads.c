// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static void sleeper(void *unused)
{
    (void)unused;
    hrsleep(~0ull >> 2);
}
static int take(int count)
{
    (void)count;
    return thread_create(sleeper, NULL, 1) >= 0;
}
int main(void)
{
    return exhaust("threads", 200);
}
