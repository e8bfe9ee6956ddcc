// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#define RESOURCE CAPABILITIES
#include "include/exhaust.h"
#include <fcntl.h>
#include <unistd.h>
static int take(int count)
{
    return cap_create(count, 1, 0) >= 0;
}
int main(void)
{
    return exhaust("capabilities", 500);
}
