// expect stdout too many nested calls, and back
#include <pebble.h>
static int portal;
static word deeper(word n)
{
    word result = invoke_portal(portal, n + 1);
    return result == -EDEPTH ? -EDEPTH : result;
}
int main(void)
{
    portal_register("app.deeper", "smi", deeper, 0, 0);
    portal = portal_open("app.deeper");
    word result = invoke_portal(portal, 0l);
    printf("%s, and back\n", pebble_strerror(result));
    return 0;
}
