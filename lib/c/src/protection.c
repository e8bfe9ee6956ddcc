/* Domains of protection: the portal manager's portals for them. */
#include "system.h"

static int create, open_part, make, place, operate;

enum { PAGE_BYTES = 4096 };

static word operation_word(int dp, word what, word first, word second, word third)
{
    int portal = __pebble_opened(&operate, PEBBLE_PROTECTION_OPERATE);
    return portal < 0 ? portal : pebble_protection_operate(portal, dp, what, first, second, third);
}
static int operation(int dp, word what, word first, word second, word third)
{
    return operation_word(dp, what, first, second, third);
}
/* Calls a portal that takes a name, behind a delegation or alone. */
static int named(int portal, int delegation, const char *name)
{
    char copy[NAMELEN] __attribute__((aligned(NAMELEN)));
    if (portal < 0)
        return portal;
    size_t length = strlen(name);
    if (length >= NAMELEN)
        return -EINVAL;
    memset(copy, 0, sizeof copy);
    memcpy(copy, name, length);
    return delegation ? pebble_protection_make(portal, delegation, copy) : pebble_protection_create(portal, copy);
}
int dp_create(const char *name)
{
    return named(__pebble_opened(&create, PEBBLE_PROTECTION_CREATE), 0, name);
}
int dp_open(const char *component)
{
    return named(__pebble_opened(&open_part, PEBBLE_PROTECTION_OPEN), 0, component);
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
    int number = operation(dp, PROTECTION_NUMBER, 0, 0, 0);
    if (number < 0 && number != -EDEAD)
        return number;
    disconnect(dp);
    return portal_close(dp);
}
int dp_destroy(int dp)
{
    disconnect(dp);
    return operation(dp, PROTECTION_DESTROY, 0, 0, 0);
}
int (dp_register)(int dp, dp_entry *entry, int procedures, int stacks)
{
    return operation(dp, PROTECTION_REGISTER, (word)entry, procedures, stacks);
}
int (dp_connect)(int dp, dp_entry *entry)
{
    int portal = operation(dp, PROTECTION_CONNECT, (word)entry, 0, 0);
    uint64_t *place = &__pebble_connections[DP_PLACE_(dp, entry)];
    /* One that has another's place is connected anew at each call, which finds the portal that is there. */
    if (portal > 0 && *place == 0)
        *place = DP_CONNECTION_(dp, entry) | portal;
    return portal;
}
int dp_make_visible(int dp, const void *start, size_t bytes, int rights)
{
    return rights ? operation(dp, PROTECTION_SHOW, (word)start, (word)bytes, rights) : -EINVAL;
}
int dp_make_invisible(int dp, const void *start, size_t bytes)
{
    return operation(dp, PROTECTION_SHOW, (word)start, (word)bytes, 0);
}
int dp_show_program(int dp)
{
    extern char __text_start[], __text_end[];
    return dp_make_visible(dp, __text_start, __text_end - __text_start, PAGE_READ | PAGE_EXECUTE);
}
int dp_pass_port_right(int dp, int portal)
{
    return operation(dp, PROTECTION_PASS, portal, 0, 0);
}
int dp_withdraw_port_right(int dp, int portal)
{
    return operation(dp, PROTECTION_WITHDRAW, portal, 0, 0);
}
int dp_number(int dp)
{
    return operation(dp, PROTECTION_NUMBER, 0, 0, 0);
}
int dp_delegate(int dp, int portal, int domains, size_t bytes)
{
    return operation(dp, PROTECTION_DELEGATE, portal, domains, (word)(bytes / PAGE_BYTES));
}
int dp_accept(int delegation)
{
    return operation(delegation, PROTECTION_ACCEPT, 0, 0, 0);
}
int dp_make(int delegation, const char *name)
{
    return delegation > 0 ? named(__pebble_opened(&make, PEBBLE_PROTECTION_MAKE), delegation, name) : -EBADF;
}
void *dp_take(int dp, size_t bytes)
{
    word start = operation_word(dp, PROTECTION_TAKE, (word)bytes, 0, 0);
    return start < 0 ? NULL : (void *)start;
}
int dp_place(int dp, void *to, const void *from, size_t bytes, int rights)
{
    int portal = __pebble_opened(&place, PEBBLE_PROTECTION_PLACE);
    if (portal < 0)
        return portal;
    if ((uintptr_t)from % PAGE_BYTES || (uintptr_t)to % PAGE_BYTES)
        return -EINVAL;
    for (size_t done = 0; done < bytes; done += PAGE_BYTES) {
        size_t count = bytes - done < PAGE_BYTES ? bytes - done : PAGE_BYTES;
        int placed = pebble_protection_place(portal, dp, (word)to + done, rights, (const char *)from + done, count);
        if (placed < 0)
            return placed;
    }
    return 0;
}
int dp_give(int dp)
{
    return operation(dp, PROTECTION_GIVE, 0, 0, 0);
}
