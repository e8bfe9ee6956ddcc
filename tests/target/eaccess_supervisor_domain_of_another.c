// system makers
// timeout 30
// expect stdout a domain with an address space: made, and ended
// expect stdout one in supervisor mode: -204, and in a child: -204, and through a domain of protection: -204
// expect stdout one in supervisor mode within something: -22, and of no mechanism: -22
// expect stdout nobody executes in supervisor mode
/* Who may make domains (`domain.create`) may make none that executes in supervisor mode: that is for who starts all components, and no word of the
   request says who asks. The paper has a password for it. */
#include <pebble.h>

enum { DOMAIN = 0, SUPERVISOR = 3 };
/* lib/abi/src/system.rs, NewDomain; lib/abi/src/isolation.rs. */
struct new_domain {
    char name[NAMELEN];
    uint64_t flags, account, isolation, within, how;
} __attribute__((aligned(128)));
static struct new_domain shown __attribute__((aligned(4096)));
static int create;

static word asked(uint64_t isolation, uint64_t within)
{
    shown = (struct new_domain){.name = "made", .isolation = isolation, .within = within};
    return invoke_portal(create, &shown);
}
/* In a domain of protection: only its arguments. */
static word asks(word portal, const struct new_domain *request) { return invoke_portal(portal, request); }
DP_MODULE(module, asks)

/* lib/abi/src/inspect.rs, Domain. */
static struct {
    char name[48];
    uint64_t words[12];
} __attribute__((aligned(128))) domain;

int main(void)
{
    create = portal_open("domain.create");
    int inspect = portal_open("inspect.domain"), status = -1;
    word made = asked(DOMAIN, 0);
    if (create < 0 || made < 0)
        return printf("no domain: %d, %ld\n", create, made), 1;
    printf("a domain with an address space: made, and %s\n", invoke_portal(portal_open("domain.destroy"), made) ? "there" : "ended");
    word own = asked(SUPERVISOR, 0);
    int child = domain_fork(0);
    if (child == 0)
        exit((int)-asked(SUPERVISOR, 0));
    domain_wait(child, &status);
    int dp = dp_create("asks");
    shown = (struct new_domain){.name = "made", .isolation = SUPERVISOR};
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) || dp_pass_port_right(dp, create) ||
        dp_make_visible(dp, &shown, 4096, PAGE_READ))
        return printf("no domain of protection: %d\n", dp), 2;
    printf("one in supervisor mode: %ld, and in a child: %d, and through a domain of protection: %ld\n", own, -status,
           dp_call(dp, module, 0, 0, create, &shown));
    printf("one in supervisor mode within something: %ld, and of no mechanism: %ld\n", asked(SUPERVISOR, get_asid()), asked(99, 0));
    for (int n = 1; n < 512; n++)
        if (invoke_portal(inspect, (word)n, &domain) == 0 && domain.words[8] == SUPERVISOR)
            return printf("domain %d executes in supervisor mode\n", n), 3;
    puts("nobody executes in supervisor mode");
    return 0;
}
