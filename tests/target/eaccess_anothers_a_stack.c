// system parts
// expect stdout a client adds 5: total 5
// expect stdout who passes the address of its A-stack, and has no password: EACCESS, total 5
// expect stdout another client, with a password of its own, passes it: EFAULT, total 5
// expect stdout the first adds 2: total 7
/* A protected module takes a client's frame from where that client's lie, and its password from nowhere in memory: a part of the program that only
   knows where another's A-stack is can have the module read there, and must not have it act in that one's name. */
#include <protected.h>
#include "include/parts.h"

#define COUNTER(procedure, module) procedure(module, long, add, (long, amount))
DP_INTERFACE(counter, COUNTER)

static _Alignas(4096) union {
    struct {
        struct dp_module module;
        long totals[DP_CLIENTS];
    };
    char page[4096];
} state;
/* A page of A-stacks for each client. */
static _Alignas(4096) char stacks[2][4096];
DP_IMPLEMENTATION(counter, COUNTER, &state.module)
static long add(int client, long amount)
{
    return state.totals[client] += amount;
}

/* The thief sees the program's code, and nothing else; it has the connection. */
static word steals(word portal, word frame, word first, word second)
{
    return invoke_portal(portal, (word)counter_add_number_, frame, first, second);
}
DP_MODULE(thief, steals)

int main(void)
{
    int dp = made(dp_create("counter"), counter, counter_procedures), other = made(dp_create("thief"), thief, thief_procedures);
    struct dp_password passwords[2];
    struct dp_client client;
    int owner = dp_admit(&state.module, &passwords[0]), thiefs = dp_admit(&state.module, &passwords[1]);
    if (dp_make_visible(dp, &state, sizeof state, PAGE_READ | PAGE_WRITE) || dp_set_stacks(&state.module, dp, owner, stacks[0], 4096) ||
        dp_set_stacks(&state.module, dp, thiefs, stacks[1], 4096) || dp_attach(&client, dp, counter, &passwords[0], stacks[0], 4096, 1))
        return puts("FAILED: no client");
    long result = 0;
    counter_add(&client, &result, 5);
    printf("a client adds 5: total %ld\n", result);

    int portal = dp_connect(dp, counter);
    if (dp_pass_port_right(other, portal))
        return puts("FAILED: no connection");
    const word address = (word)stacks[0];
    word got = dp_call(other, thief, 0, 0, portal, address, 0l, 0l), again = dp_call(other, thief, 0, 0, portal, address, address, address);
    printf("who passes the address of its A-stack, and has no password: %s, total %ld\n", got == again ? name(got) : "?", state.totals[owner]);
    got = dp_call(other, thief, 0, 0, portal, address, passwords[1].words[0], passwords[1].words[1]);
    printf("another client, with a password of its own, passes it: %s, total %ld\n", name(got), state.totals[owner] + state.totals[thiefs]);
    counter_add(&client, &result, 2);
    printf("the first adds 2: total %ld\n", result);
    return 0;
}
