// expect stdout passed to another than the issuer: -204
// expect stdout passed to the issuer: 9
// expect stdout with more rights: 0x1
// expect stdout of one use, reduced: -204
// expect stdout dropped: 0, and then: -9
/* What a holder can not do with a capability. */
#include <pebble.h>
static word use(word cap)
{
    struct cap_info info;
    int error = cap_info(cap, &info);
    return error ? error : (word)info.object;
}
static word other(word cap) { return 77; }
static word hand(word cap)
{
    word stays = cap_reduce(cap, ~0ul, CAP_STAYS);
    struct cap_info info;
    printf("passed to another than the issuer: %ld\n", invoke_portal(portal_open("app.other"), (word)stays));
    printf("passed to the issuer: %ld\n", invoke_portal(portal_open("app.use"), (word)stays));
    word more = cap_reduce(cap_reduce(cap, 1, 0), 7, 0);
    cap_info(more, &info);
    printf("with more rights: %#lx\n", info.rights);
    word once = cap_reduce(cap, 1, CAP_ONCE);
    printf("of one use, reduced: %ld\n", cap_reduce(once, 1, 0));
    int dropped = cap_drop(cap);
    printf("dropped: %d, and then: %d\n", dropped, cap_drop(cap));
    fflush(stdout);
    return 0;
}
static int server(int ready, const char *name, word (*entry)())
{
    int child = domain_fork(0);
    if (child == 0) {
        portal_register(name, "nmk", entry, 0, 2);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    return child;
}
int main(void)
{
    int ready = sem_create(0), status;
    portal_register("app.use", "nmk", use, 0, 2);
    int children[] = { server(ready, "app.other", other), server(ready, "app.hand", hand) };
    invoke_portal(portal_open("app.hand"), (word)cap_create(9, 7, 0));
    for (int i = 0; i < 2; i++)
        domain_kill(children[i]), domain_wait(children[i], &status);
    return 0;
}
