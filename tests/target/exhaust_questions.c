// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#include "include/exhaust.h"
static word judge(word constant, word client, word identity)
{
    (void)constant, (void)client, (void)identity;
    return 0;
}
/* Each asks another portal: those that are the same count once. */
static int take(int count)
{
    static int tried;
    char name[NAMELEN];
    word constant = ++tried;
    snprintf(name, sizeof name, "app.judge.%d.%d", get_asid(), tried);
    if (portal_register(name, "npcii", judge, &constant, 0) < 0)
        return 0;
    int portal = portal_open(name);
    snprintf(name, sizeof name, "app.asked.%d.%d", get_asid(), tried);
    return count < 64 && portal_register_asked(name, "np", judge, 0, 0, portal, 0) >= 0;
}
int main(void)
{
    return exhaust("questions", 30);
}
