// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static _Alignas(4096) char pages[64][4096];
static word declines(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return -EFAULT;
}
static int take(int count)
{
    return count < 64 && pager_register(get_asid(), pages[count], 4096, declines) >= 0;
}
int main(void)
{
    return exhaust("pagers", 30);
}
