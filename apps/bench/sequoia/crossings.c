/* The ways in which the database calls the untrusted functions. Whatever they do, the database gets a number, and bytes in the
   operand, of which it takes no more than there are. */
#include "crossings.h"
#include <fault_domain.h>

unsigned long crossing_calls, crossing_cycles;

/* What both sides can write. */
struct shared {
    struct operand operand;
    _Alignas(4096) char polygon[8 * 4096];
};
static struct shared own __attribute__((aligned(4096))), *shared = &own;

static long unprotected(long function, const void *polygon, long bytes)
{
    return polygon_function(function, polygon, bytes, &shared->operand);
}
static unsigned long cycles(void)
{
    unsigned long now;
    __asm__ volatile("rdcycle %0" : "=r"(now) : : "memory");
    return now;
}
static long profiled(long function, const void *polygon, long bytes)
{
    unsigned long start = cycles();
    long result = unprotected(function, polygon, bytes);
    crossing_cycles += cycles() - start;
    return result;
}
/* The fault domain may read what the database has. */
static long in_fault_domain(long function, const void *polygon, long bytes)
{
    return fault_domain_call(0, function, (word)polygon, bytes, (word)&shared->operand, 0, 0);
}
/* It, and a domain of protection, may not: the polygon is brought to where they see it. */
static long in_closed_fault_domain(long function, const void *polygon, long bytes)
{
    if (bytes > (long)sizeof shared->polygon)
        return -EINVAL;
    memcpy(shared->polygon, polygon, bytes);
    return in_fault_domain(function, shared->polygon, bytes);
}
DP_MODULE(module, polygon_function)
static int dp;
static long in_domain_of_protection(long function, const void *polygon, long bytes)
{
    if (bytes > (long)sizeof shared->polygon)
        return -EINVAL;
    memcpy(shared->polygon, polygon, bytes);
    return dp_call(dp, module, 0, 0, function, shared->polygon, bytes, &shared->operand);
}
/* Windows show it the polygon's pages, and the operand's. */
static int portal;
static long in_domain(long function, const void *polygon, long bytes)
{
    return invoke_portal(portal, function, polygon, bytes, &shared->operand);
}

static int load(int loads)
{
    static char program[1 << 20];
    FILE *file = fopen(loads ? "untrusted-loads" : "untrusted", "r");
    size_t bytes = file ? fread(program, 1, sizeof program, file) : 0;
    if (fault_domain_load(program, bytes, loads, sizeof *shared, (void **)&shared) == 0)
        return 0;
    return printf("the fault domain: %s\n", fault_domain_why()), -EINVAL;
}
static int make_dp(void)
{
    dp = dp_create("polygons");
    int result = dp < 0 ? dp : dp_show_program(dp);
    if (result == 0)
        result = dp_register(dp, module, module_procedures, 1);
    if (result == 0)
        result = dp_make_visible(dp, &own, sizeof own, PAGE_READ | PAGE_WRITE);
    return result < 0 ? printf("the domain of protection: %s\n", pebble_strerror(result)), result : 0;
}
static int open_server(void)
{
    portal = portal_open("polygon.function");
    return portal < 0 ? printf("polygon.function: %s\n", pebble_strerror(portal)), portal : 0;
}
static int no_more(void) { return 0; }
static int load_open(void) { return load(0); }
static int load_closed(void) { return load(1); }

static const struct way {
    const char *name;
    int (*begin)(void);
    long (*call)(long, const void *, long);
} ways[] = {
    {"unprotected", no_more, unprotected}, {"profile", no_more, profiled},          {"sfi", load_open, in_fault_domain},
    {"sfi-loads", load_closed, in_closed_fault_domain}, {"dp", make_dp, in_domain_of_protection}, {"domain", open_server, in_domain},
};
static const struct way *chosen;

int crossing_choose(const char *name)
{
    for (const struct way *way = ways; way < ways + sizeof ways / sizeof *ways; way++)
        if (!strcmp(way->name, name))
            return (chosen = way)->begin();
    return printf("%s: no way\n", name), -EINVAL;
}
struct operand *crossing_operand(void)
{
    return &shared->operand;
}
long crossing_call(long function, const void *polygon, long bytes)
{
    crossing_calls++;
    return chosen->call(function, polygon, bytes);
}
