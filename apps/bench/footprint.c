/* Pages of memory in use, this program's own left out. Runs in the minimal system, in place of its application. */
#include "bench.h"

int main(void)
{
    int info = open_or_exit("memory.info");
    word total = invoke_portal(info, 0l, 0l), free = invoke_portal(info, 1l, 0l), own = invoke_portal(info, 2l, (word)get_asid());
    if (total < 0 || free < 0 || own < 0)
        return 1;
    ROW(total - free - own, .table = "footprint", .operation = "pages-in-use", .measure = "total");
    return 0;
}
