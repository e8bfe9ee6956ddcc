// on strict
// slices 7
// timeout 120
// expect stdout A-stacks are set anew while calls come: none is where neither were
// expect stdout nobody's password while a client is made one: refused
/* What a protected module knows of its callers is changed by one thread while another's call looks at it, which time slices end anywhere. */
#include <protected.h>

#define NOTHING(procedure, module) procedure(module, long, nothing)
DP_INTERFACE(idle, NOTHING)
static _Alignas(4096) union {
    struct dp_module module;
    char page[4096];
} state;
DP_IMPLEMENTATION(idle, NOTHING, &state.module)
static long nothing(int client)
{
    return client;
}
/* Those at the start are of one page, those at the end of three: from the start, three pages would reach the one between. */
static _Alignas(4096) char arena[6][4096];
enum { CHANGES = 300, BETWEEN = 2, LATER = 3 };
static atomic_int running = 2;
static const int client = 7;

static void sets(void *domain)
{
    int dp = (int)(word)domain;
    for (int n = 0; n < CHANGES; n++)
        if (dp_set_stacks(&state.module, dp, client, arena[0], 4096) || dp_set_stacks(&state.module, dp, client, arena[LATER], 3 * 4096))
            exit(puts("FAILED: no A-stacks"));
    atomic_fetch_sub(&running, 1);
}
int main(void)
{
    int dp = dp_create("idle");
    if (dp < 0 || dp_show_program(dp))
        return puts("FAILED: no domain");
    /* As dp_admit has it in the end; there is no source of random bytes here. */
    state.module.passwords[client] = (struct dp_password){{1, 2}};
    atomic_store(&state.module.admitted[client], DP_CLIENTS_OWN_);
    if (dp_set_stacks(&state.module, dp, client, arena[0], 4096))
        return puts("FAILED: no client");
    for (int n = 0; n < 2; n++)
        thread_create(sets, (void *)(word)dp, -1);
    unsigned long looks = 0, reached[2] = {0, 0};
    for (; atomic_load(&running); looks++) {
        if (dp_reaches_(&state.module, client, (word)arena[BETWEEN], 64))
            return printf("FAILED: look %lu: a frame where no A-stacks were\n", looks);
        for (int n = 0; n < 2; n++)
            reached[n] += dp_reaches_(&state.module, client, (word)arena[n ? LATER : 0], 64);
    }
    if (reached[0] == 0 || reached[1] == 0)
        return printf("FAILED: of %lu looks, %lu and %lu found A-stacks\n", looks, reached[0], reached[1]);
    puts("A-stacks are set anew while calls come: none is where neither were");
    /* As dp_admit and dp_withdraw have it while they write. */
    atomic_store(&state.module.admitted[5], DP_CHANGING_);
    if (dp_client_(&state.module, &(struct dp_password){{0, 0}}) != -EACCESS)
        return puts("FAILED: a password of zeros was a client's");
    puts("nobody's password while a client is made one: refused");
    return dp_destroy(dp);
}
