/* Frames in use, and those that are promised to components but not touched yet. Runs in the minimal system, in place of its
   application, and stays: the host reads from the machine's memory what each frame is for. */
#include "bench.h"

int main(void)
{
    /* First, so that nothing is taken for it between the count and the host's look. */
    ROW(get_asid(), .table = "footprint", .operation = "domain", .measure = "own");
    int info = open_or_exit("memory.info");
    word total = invoke_portal(info, 0l, 0l), free = invoke_portal(info, 1l, 0l), promised = invoke_portal(info, 3l, 0l);
    if (total < 0 || free < 0 || promised < 0)
        return 1;
    ROW(total - free - promised, .table = "footprint", .operation = "frames", .measure = "used");
    ROW(promised, .table = "footprint", .operation = "frames", .measure = "promised");
    for (;;)
        hrsleep(1ull << 40);
}
