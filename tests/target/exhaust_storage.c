// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#define RESOURCE STORAGE
#include "include/exhaust.h"
#include <fcntl.h>
#include <unistd.h>
/* Each domain's own, which goes with it. */
static int file = -1;
static int take(int count)
{
    static char page[4096];
    char name[NAMELEN];
    if (count == 0) {
        snprintf(name, sizeof name, "/taken.%d", get_asid());
        file = open(name, O_WRONLY | O_CREAT, 0644);
        unlink(name);
    }
    return write(file, page, sizeof page) == sizeof page;
}
int main(void)
{
    return exhaust("storage", 100);
}
