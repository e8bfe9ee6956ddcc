// expect stdout nobody is served: Invalid argument
// expect stdout no portals: Invalid argument
// expect stdout a wrong specification: Invalid argument
// expect stdout no semaphore: Invalid argument
// expect stdout granted 42
// expect stdout users 1, then 0
/* portal.grant gives portals to whose call is served, and to nobody else. */
#include <pebble.h>

enum { GRANT = 30, GRANTED = 31 };
static struct {
    uint64_t count, gone, constant;
    struct {
        char spec[16];
        uint64_t entry;
    } portals[4];
} __attribute__((aligned(256))) grant;

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, pebble_strerror(result));
}
static word answer(word constant)
{
    return constant;
}
static word serve(word what)
{
    switch (what) {
    case 0:
        grant.count = 5;
        break;
    case 1:
        grant.count = 1;
        memcpy(grant.portals[0].spec, "q", 2);
        break;
    case 2:
        memcpy(grant.portals[0].spec, "npc", 4);
        grant.gone = 7;
        break;
    default:
        grant.gone = 0;
        grant.constant = 42;
        grant.portals[0].entry = (uint64_t)answer;
    }
    return invoke_portal(GRANT, &grant);
}
static word users(void)
{
    return invoke_portal(GRANTED, 42l);
}
int main(void)
{
    int status, child;
    grant.count = 1;
    memcpy(grant.portals[0].spec, "npc", 4);
    say("nobody is served", invoke_portal(GRANT, &grant));
    portal_register("app.serve", "npi", serve, NULL, 2);
    portal_register("app.users", "np", users, NULL, 0);
    if ((child = domain_fork(NULL)) == 0) {
        int server = portal_open("app.serve"), count = portal_open("app.users");
        say("no portals", invoke_portal(server, 0l));
        say("a wrong specification", invoke_portal(server, 1l));
        say("no semaphore", invoke_portal(server, 2l));
        int portal = invoke_portal(server, 3l);
        printf("granted %ld\n", invoke_portal(portal));
        int before = invoke_portal(count);
        portal_close(portal);
        printf("users %d, then %d\n", before, (int)invoke_portal(count));
        exit(0);
    }
    domain_wait(child, &status);
    return status;
}
