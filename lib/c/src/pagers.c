/* Pagers and single pages. */
#include "system.h"

int pager_register(int asid, void *start, size_t bytes, word (*handler)(word asid, word cause, word address, word pc))
{
    return handler ? invoke_portal(SYS_PAGER, asid, start, bytes, handler) : -EINVAL;
}
int pager_unregister(int asid, void *start)
{
    return invoke_portal(SYS_PAGER, asid, start, 0l, 0l);
}
int page_map(int asid, void *page, const void *source, int rights)
{
    return rights == 0 ? -EINVAL : invoke_portal(SYS_PAGE, asid, page, source, rights);
}
int page_unmap(int asid, void *page)
{
    return invoke_portal(SYS_PAGE, asid, page, 0l, 0l);
}
