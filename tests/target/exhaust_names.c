// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static word entry(word a)
{
    return a;
}
static int take(int count)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "app.%d.%d", get_asid(), count);
    return portal_register(name, "nmi", entry, NULL, 0) >= 0;
}
int main(void)
{
    return exhaust("names", 300);
}
