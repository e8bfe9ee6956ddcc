/* Domains of protection: the portal manager's portals for them. */
#include "system.h"

/* Operations: lib/abi/src/protection.rs. */
enum { REGISTER = 1, CONNECT, SHOW, PASS, WITHDRAW, DESTROY, NUMBER };

static int create, open_part, operate;

static int operation(int dp, word what, word first, word second, word third)
{
    int portal = __pebble_opened(&operate, "protection.operate");
    return portal < 0 ? portal : invoke_portal(portal, (word)dp, what, first, second, third);
}
/* Calls a portal that takes a name. */
static int named(int portal, const char *name)
{
    char copy[NAMELEN] __attribute__((aligned(NAMELEN)));
    if (portal < 0)
        return portal;
    size_t length = strlen(name);
    if (length >= NAMELEN)
        return -EINVAL;
    memset(copy, 0, sizeof copy);
    memcpy(copy, name, length);
    return invoke_portal(portal, copy);
}
int dp_create(const char *name)
{
    return named(__pebble_opened(&create, "protection.create"), name);
}
int dp_open(const char *component)
{
    return named(__pebble_opened(&open_part, "protection.open"), component);
}
/* The connections that have been made: in each word an entry point, and below it a handle and the portal's number, 10 bits each. */
uint64_t __pebble_connections[DP_CONNECTIONS_];

/* Closes those to one domain. Where it has ended by itself, they answer for the dead. */
static void disconnect(int dp)
{
    for (int n = 0; n < DP_CONNECTIONS_; n++)
        if (__pebble_connections[n] && (__pebble_connections[n] >> 10 & 1023) == (uint64_t)dp) {
            portal_close(__pebble_connections[n] & 1023);
            __pebble_connections[n] = 0;
        }
}
int dp_close(int dp)
{
    int number = operation(dp, NUMBER, 0, 0, 0);
    if (number < 0 && number != -EDEAD)
        return number;
    disconnect(dp);
    return portal_close(dp);
}
int dp_destroy(int dp)
{
    disconnect(dp);
    return operation(dp, DESTROY, 0, 0, 0);
}
int (dp_register)(int dp, dp_entry *entry, int procedures, int stacks)
{
    return operation(dp, REGISTER, (word)entry, procedures, stacks);
}
int (dp_connect)(int dp, dp_entry *entry)
{
    int portal = operation(dp, CONNECT, (word)entry, 0, 0);
    uint64_t *place = &__pebble_connections[DP_PLACE_(dp, entry)];
    /* One that has another's place is connected anew at each call, which finds the portal that is there. */
    if (portal > 0 && *place == 0)
        *place = DP_CONNECTION_(dp, entry) | portal;
    return portal;
}
int dp_make_visible(int dp, const void *start, size_t bytes, int rights)
{
    return rights ? operation(dp, SHOW, (word)start, (word)bytes, rights) : -EINVAL;
}
int dp_make_invisible(int dp, const void *start, size_t bytes)
{
    return operation(dp, SHOW, (word)start, (word)bytes, 0);
}
int dp_show_program(int dp)
{
    extern char __text_start[], __text_end[];
    return dp_make_visible(dp, __text_start, __text_end - __text_start, PAGE_READ | PAGE_EXECUTE);
}
int dp_pass_port_right(int dp, int portal)
{
    return operation(dp, PASS, portal, 0, 0);
}
int dp_withdraw_port_right(int dp, int portal)
{
    return operation(dp, WITHDRAW, portal, 0, 0);
}
int dp_number(int dp)
{
    return operation(dp, NUMBER, 0, 0, 0);
}
