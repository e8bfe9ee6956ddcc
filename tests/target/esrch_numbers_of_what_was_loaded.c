// system spawns
// expect stdout to start: by its number -3, another serial -3, another domain -3, who has loaded it 0
// expect stdout a signal: another serial -3, who is meant 0, its number 0
// expect stdout once it has ended: -3, its number -3
/* What init has loaded for a domain is that one's to start, and named by its identity: by a number alone it could be another's by then. A signal to an identity does not reach
   who has the number later. */
#include <errno.h>
#include <pebble.h>
#include <signal.h>
#include <stdio.h>

/* lib/abi/src/spawn.rs. */
static _Alignas(4096) struct {
    uint64_t words, inherited;
    char strings[4080];
} request = {1, 0, "interrupted"};

int main(void)
{
    int load = portal_open("init.load"), start = portal_open("init.start"), send = portal_open("init.signal"), destroy = portal_open("domain.destroy"), status;
    word domain = invoke_portal(load, &request, 16l + (word)sizeof "interrupted"), serial = 1l << 16;
    if (domain <= serial)
        return 1;
    word number = invoke_portal(start, domain & 0xffff), another = invoke_portal(start, domain + serial);
    int child = domain_fork(0);
    if (child == 0)
        _Exit(-(int)invoke_portal(start, domain));
    domain_wait(child, &status);
    printf("to start: by its number %ld, another serial %ld, another domain %d, who has loaded it %ld\n", number, another, -status, invoke_portal(start, domain));
    /* Until it takes it. */
    word taken = -ESRCH;
    for (int n = 0; n < 20000 && taken; n++, hrsleep(1000000))
        taken = invoke_portal(send, domain, (word)SIGINT);
    word others = invoke_portal(send, domain + serial, (word)SIGINT);
    printf("a signal: another serial %ld, who is meant %ld, its number %ld\n", others, taken, invoke_portal(send, domain & 0xffff, (word)SIGTERM));
    domain_wait((int)(domain & 0xffff), &status);
    word gone = 0;
    for (int n = 0; n < 20000 && !gone; n++, hrsleep(1000000))
        gone = invoke_portal(send, domain, (word)SIGINT);
    printf("once it has ended: %ld, its number %ld\n", gone, invoke_portal(send, domain & 0xffff, (word)SIGINT));
    (void)destroy;
    return 0;
}
