// expect stdout a stranger: not allowed by the manifest
// expect stdout overlapping: Device or resource busy
// expect stdout not whole pages: Invalid argument
// expect stdout no handler: Invalid argument
// expect stdout not registered: No such file or directory
// expect stdout a stranger's page: not allowed by the manifest
// expect stdout no rights: Invalid argument
// expect stdout the devices: Invalid argument
// expect stdout no source: Bad address
#include <pebble.h>

static word handler(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return -1;
}
static void say(const char *what, int result)
{
    printf("%s: %s\n", what, pebble_strerror(result));
}
int main(void)
{
    char *range = (char *)0x18000000;
    int own = get_asid();
    say("a stranger", pager_register(1, range, 4096, handler));
    pager_register(own, range, 8192, handler);
    say("overlapping", pager_register(own, range + 4096, 8192, handler));
    say("not whole pages", pager_register(own, range + 100, 8192, handler));
    say("no handler", pager_register(own, range, 4096, NULL));
    say("not registered", pager_unregister(own, range + 0x100000));
    say("a stranger's page", page_map(1, range, NULL, PAGE_READ));
    say("no rights", page_map(own, range, NULL, 0));
    say("the devices", page_map(own, (void *)0x28000000, NULL, PAGE_READ));
    say("no source", page_map(own, range, (void *)0x17000000, PAGE_READ));
    return 0;
}
