// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#define TAKERS 10
#define RESOURCE FILES
#include "include/exhaust.h"
#include <fcntl.h>
#include <unistd.h>
static int take(int count)
{
    (void)count;
    return open("/taken", O_RDONLY | O_CREAT, 0644) >= 0;
}
int main(void)
{
    return exhaust("files", 100);
}
