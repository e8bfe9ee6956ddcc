// expect stdout all pairs: 4950
// expect stdout the same for one use twice: -9, and once: 1
// expect stdout a number that is no name: -9 -9
/* Several capabilities in one call, whatever their names. */
#include <pebble.h>
static word both(word one, word other)
{
    struct cap_info a, b;
    if (cap_info(one, &a) || cap_info(other, &b))
        return -1;
    return a.object + b.object;
}
static word one(word cap)
{
    struct cap_info info;
    return cap_info(cap, &info) ? -1 : (word)info.object;
}
#define MANY 100
int main(void)
{
    int right = 0;
    word caps[MANY];
    portal_register("app.both", "nmkk", both, 0, 1);
    portal_register("app.one", "nmk", one, 0, 0);
    for (int i = 0; i < MANY; i++)
        caps[i] = cap_create(i, 1, 0);
    int portal = portal_open("app.both");
    for (int i = 0; i < MANY; i++)
        for (int j = i + 1; j < MANY; j++)
            right += invoke_portal(portal, (word)caps[i], (word)caps[j]) == i + j;
    printf("all pairs: %d\n", right);
    word once = cap_create(1, 1, CAP_ONCE);
    word twice = invoke_portal(portal, (word)once, (word)once);
    printf("the same for one use twice: %ld, and once: %ld\n", twice, invoke_portal(portal_open("app.one"), (word)once));
    printf("a number that is no name: %ld %ld\n", invoke_portal(portal, -1l, (word)caps[0]),
           invoke_portal(portal, (word)caps[0], 1l << 40));
    return 0;
}
