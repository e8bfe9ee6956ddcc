/* Pages of memory in use, this program's own left out, and those that are promised to components but not touched yet. Runs in the minimal system, in place of its application. */
#include "bench.h"

int main(void)
{
    int info = open_or_exit("memory.info");
    word total = invoke_portal(info, 0l, 0l), free = invoke_portal(info, 1l, 0l), own = invoke_portal(info, 2l, (word)get_asid());
    word promised = invoke_portal(info, 3l, 0l);
    if (total < 0 || free < 0 || own < 0 || promised < 0)
        return 1;
    ROW(total - free - own - promised, .table = "footprint", .operation = "pages-in-use", .measure = "total");
    ROW(promised, .table = "footprint", .operation = "pages-promised", .measure = "total");
    return 0;
}
