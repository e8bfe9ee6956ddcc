/* Protected modules: their clients, and the memory that calls go through. */
#include "system.h"
#include <protected.h>
#include <unistd.h>

int getentropy(void *buffer, size_t count);

int dp_admit_drawn_(struct dp_module *module, const struct dp_password *drawn)
{
    for (int n = 0; n < DP_CLIENTS; n++) {
        unsigned nobodys = DP_NOBODYS_;
        /* Only one thread gets the place; nobody is admitted by half a password. */
        if (!atomic_compare_exchange_strong(&module->admitted[n], &nobodys, DP_CHANGING_))
            continue;
        /* A call of its last client's goes on by this number. Who begins one from now on looks again, and finds that the place changes. */
        if (atomic_load(&module->calls[n])) {
            atomic_store(&module->admitted[n], DP_NOBODYS_);
            continue;
        }
        /* What the place's last client had is not this one's. */
        atomic_store(&module->stacks[n], 0);
        module->passwords[n] = *drawn;
        atomic_store(&module->admitted[n], DP_CLIENTS_OWN_);
        return n;
    }
    return -ENFILE;
}
int dp_admit(struct dp_module *module, struct dp_password *password)
{
    struct dp_password drawn;
    if (getentropy(&drawn, sizeof drawn) < 0)
        return -EIO;
    int client = dp_admit_drawn_(module, &drawn);
    if (client >= 0)
        *password = drawn;
    return client;
}
int dp_withdraw(struct dp_module *module, int client)
{
    unsigned admitted = DP_CLIENTS_OWN_;
    if (client < 0 || client >= DP_CLIENTS || !atomic_compare_exchange_strong(&module->admitted[client], &admitted, DP_CHANGING_))
        return -ENOENT;
    /* Its password stays, which nobody can guess; zeros anybody can, who has looked at whose the place is before. */
    atomic_store(&module->stacks[client], 0);
    atomic_store(&module->admitted[client], DP_NOBODYS_);
    return 0;
}
/* While it counts as a call the place is nobody else's. */
static int set_stacks(struct dp_module *module, int dp, int client, void *stacks, size_t bytes)
{
    if (atomic_load(&module->admitted[client]) != DP_CLIENTS_OWN_)
        return -ENOENT;
    int shown = stacks ? dp_make_visible(dp, stacks, bytes, PAGE_READ | PAGE_WRITE) : bytes ? -EINVAL : 0;
    if (shown < 0)
        return shown;
    atomic_store(&module->stacks[client], (uintptr_t)stacks >> DP_PAGE_LOG2_ << 32 | bytes >> DP_PAGE_LOG2_);
    if (atomic_load(&module->admitted[client]) == DP_CLIENTS_OWN_)
        return 0;
    atomic_store(&module->stacks[client], 0);
    return -ENOENT;
}
int dp_set_stacks(struct dp_module *module, int dp, int client, void *stacks, size_t bytes)
{
    if (client < 0 || client >= DP_CLIENTS)
        return -ENOENT;
    uintptr_t start = (uintptr_t)stacks, own = (uintptr_t)module;
    if ((start < own + sizeof *module && own < start + bytes) || bytes >> DP_PAGE_LOG2_ > UINT32_MAX)
        return -EINVAL;
    atomic_fetch_add(&module->calls[client], 1);
    int set = set_stacks(module, dp, client, stacks, bytes);
    dp_leave_(module, client);
    return set;
}
int dp_attach(struct dp_client *client, int dp, dp_entry *entry, const struct dp_password *password, void *stacks, size_t bytes, int count)
{
    size_t each = stacks && count > 0 ? bytes / count & -16ul : 0;
    if (stacks && (count < 1 || count > 64 || each == 0 || (uintptr_t)stacks % 16))
        return -EINVAL;
    client->dp = dp, client->entry = entry, client->password = *password;
    client->stacks = stacks, client->each = each;
    client->free = stacks ? count == 64 ? -1ul : (1ul << count) - 1 : 0;
    return 0;
}
