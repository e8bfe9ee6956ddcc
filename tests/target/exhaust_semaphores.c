// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static int take(int count)
{
    (void)count;
    return sem_create(0) >= 0;
}
int main(void)
{
    return exhaust("semaphores", 200);
}
