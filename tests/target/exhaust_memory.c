// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static int take(int count)
{
    char *page = malloc(1 << 16);
    if (page != NULL && count % 64 == 0)
        *page = 1;
    return page != NULL;
}
int main(void)
{
    return exhaust("memory", 100);
}
