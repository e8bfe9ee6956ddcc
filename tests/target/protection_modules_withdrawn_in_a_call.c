// on strict
// slices 7
// timeout 120
// expect stdout clients are withdrawn in calls: nobody else has their number meanwhile, nor they another's
// expect stdout zeros: nobody's password
// expect stdout A-stacks that are set for a client which is withdrawn meanwhile: nobody else's
/* A protected module's clients come and go while calls begin and go on, which time slices end anywhere. */
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
static _Alignas(4096) char arenas[2][4096], large[64][4096];
enum { CHANGES = 300, LOOKS = 20, SETS = 40 };

/* There is no source of random bytes here. Each client has a password of its own. */
static int admit(struct dp_password *password)
{
    static atomic_ulong drawn = 1000;
    password->words[0] = atomic_fetch_add(&drawn, 1), password->words[1] = ~password->words[0];
    return dp_admit_drawn_(&state.module, password);
}
static int dp;
static atomic_ulong latest;
static atomic_int running = 1, number = -1;

static void changes(void *unused)
{
    (void)unused;
    struct dp_password password;
    for (int n = 0; n < CHANGES; n++) {
        int client = admit(&password);
        if (client < 0 || dp_set_stacks(&state.module, dp, client, arenas[password.words[0] & 1], 4096))
            exit(puts("FAILED: no client"));
        atomic_store(&latest, password.words[0]);
        for (volatile int wait = 0; wait < 300; wait++)
            ;
        if (dp_withdraw(&state.module, client))
            exit(puts("FAILED: it was not withdrawn"));
    }
    atomic_store(&running, 0);
}
/* A call: whether its client was withdrawn in it. */
static int goes_on(int client, const struct dp_password *password)
{
    int withdrawn = 0;
    unsigned long own = (uintptr_t)arenas[password->words[0] & 1] >> DP_PAGE_LOG2_ << 32 | 1;
    for (int look = 0; look < LOOKS; look++) {
        unsigned long stacks = atomic_load(&state.module.stacks[client]);
        if (*(volatile uint64_t *)state.module.passwords[client].words != password->words[0])
            exit(printf("FAILED: look %d: place %d is another client's\n", look, client));
        if (stacks != 0 && stacks != own)
            exit(printf("FAILED: look %d: the A-stacks of another client\n", look));
        withdrawn |= atomic_load(&state.module.admitted[client]) != DP_CLIENTS_OWN_;
    }
    return withdrawn;
}
static void sets(void *unused)
{
    (void)unused;
    for (int n = 0; n < SETS; n++) {
        struct dp_password password;
        int client = admit(&password);
        atomic_store(&number, client);
        int set = dp_set_stacks(&state.module, dp, client, large, sizeof large);
        if (set != 0 && set != -ENOENT)
            exit(printf("FAILED: A-stacks: %d\n", set));
        atomic_store(&number, -1);
        dp_withdraw(&state.module, client);
    }
    atomic_store(&running, 0);
}
/* How many clients were withdrawn while their A-stacks were set. */
static int replaced(void)
{
    int count = 0;
    while (atomic_load(&running)) {
        int client = atomic_load(&number);
        if (client < 0 || atomic_load(&state.module.calls[client]) == 0 || dp_withdraw(&state.module, client))
            continue;
        struct dp_password password;
        int other = admit(&password);
        while (atomic_load(&running) && atomic_load(&number) == client)
            ;
        if (atomic_load(&state.module.stacks[other]) != 0)
            exit(puts("FAILED: a new client has A-stacks"));
        dp_withdraw(&state.module, other);
        count++;
    }
    return count;
}
int main(void)
{
    dp = dp_create("idle");
    if (dp < 0 || dp_show_program(dp))
        return puts("FAILED: no domain");
    thread_create(changes, NULL, -1);
    unsigned long entered = 0, withdrawn = 0;
    while (atomic_load(&running)) {
        if (dp_enter_(&state.module, &(struct dp_password){{0, 0}}) != -EACCESS)
            return puts("FAILED: a password of zeros was a client's");
        struct dp_password password = {{atomic_load(&latest), 0}};
        password.words[1] = ~password.words[0];
        int client = dp_enter_(&state.module, &password);
        if (client < 0)
            continue;
        entered++, withdrawn += goes_on(client, &password);
        dp_leave_(&state.module, client);
    }
    if (withdrawn == 0)
        return printf("FAILED: of %lu calls none was one of a client that was withdrawn\n", entered);
    puts("clients are withdrawn in calls: nobody else has their number meanwhile, nor they another's");
    puts("zeros: nobody's password");
    for (int n = 0; n < DP_CLIENTS; n++)
        if (atomic_load(&state.module.calls[n]))
            return printf("FAILED: place %d is kept by nobody\n", n);
    atomic_store(&running, 1);
    thread_create(sets, NULL, -1);
    if (replaced() == 0)
        return puts("FAILED: no client was withdrawn while its A-stacks were set");
    puts("A-stacks that are set for a client which is withdrawn meanwhile: nobody else's");
    return dp_destroy(dp);
}
