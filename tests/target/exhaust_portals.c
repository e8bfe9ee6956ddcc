// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static int take(int count)
{
    (void)count;
    return portal_open("files.open") >= 0;
}
int main(void)
{
    return exhaust("portals", 300);
}
