/* Portals: registering, opening, interposing. */
#include "system.h"
#include "clocks.h"
#undef portal_register
#undef portal_register_for
#undef portal_register_asked
#undef portal_create_child
#undef portal_create_stub

/* Registers `r`, which has what is not given. */
static int registered(struct registration *r, const char *name, const char *spec, word (*entry)(), const word *constants, int stacks)
{
    if (!copy_name(r->name, name) || stacks < 0)
        return -EINVAL;
    if (!copy_name(r->spec, spec))
        return -(ESPEC + 7 * 256 + NAMELEN - 1);
    r->entry = (uint64_t)entry;
    r->stacks = stacks;
    size_t n = 0;
    for (const char *c = spec; *c; c++)
        if (*c == 'c' && c >= spec + 2 && constants && n < 6) {
            r->constants[n] = constants[n];
            n++;
        }
    return pebble_portal_register(r);
}
int portal_register(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks)
{
    struct registration r = {.admission = ADMIT_ALL};
    return registered(&r, name, spec, entry, constants, stacks);
}
int portal_register_for(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks, const int *asids,
                        int count)
{
    struct registration r = {.admission = ADMIT_LISTED};
    if (count < 0 || count > PORTAL_ADMITTED)
        return -EINVAL;
    for (int n = 0; n < count; n++)
        r.admitted[n] = asids[n];
    return registered(&r, name, spec, entry, constants, stacks);
}
int portal_register_asked(const char *name, const char *spec, word (*entry)(), const word *constants, int stacks, int portal,
                          word token)
{
    struct registration r = {.admission = ADMIT_ASKED, .asked = portal, .token = token};
    return registered(&r, name, spec, entry, constants, stacks);
}
/* A name where a window shows all of it. */
struct name {
    char text[NAMELEN];
} __attribute__((aligned(64)));

static int with_name(int portal, const char *name)
{
    struct name n;
    return copy_name(n.text, name) ? invoke_portal(portal, &n) : -EINVAL;
}
int portal_unregister(const char *name)
{
    return with_name(SYS_PORTAL_UNREGISTER, name);
}
static int admission(const char *name, int asid, int how, word token)
{
    struct name n;
    return copy_name(n.text, name) ? pebble_portal_admit(&n, asid, how, token) : -EINVAL;
}
int portal_admit(const char *name, int asid)
{
    return admission(name, asid, ADMIT_LISTED, 0);
}
int portal_admit_all(const char *name)
{
    return admission(name, 0, ADMIT_ALL, 0);
}
int portal_ask(const char *name, int portal, word token)
{
    return admission(name, portal, ADMIT_ASKED, token);
}
int portal_withdraw(const char *name, int asid)
{
    return admission(name, asid, ADMIT_WITHDRAWN, 0);
}
int portal_open(const char *name)
{
    return with_name(SYS_PORTAL_OPEN, name);
}
int __pebble_opened(int *portal, const char *name)
{
    int known = __atomic_load_n(portal, __ATOMIC_RELAXED);
    if (known > 0)
        return known;
    int made = portal_open(name), none = known;
    /* Another thread that opens it at the same time has the same. */
    if (made > 0 && !__atomic_compare_exchange_n(portal, &none, made, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        portal_close(made);
        return none > 0 ? none : __pebble_opened(portal, name);
    }
    return made;
}
int __pebble_lost(int *portal, int through, word result)
{
    if (through <= 0 || (result != -EDEAD && result != -EPORTAL))
        return 0;
    /* Closed by one: the number may be another portal's by the time that the next thread is here. */
    if (__atomic_compare_exchange_n(portal, &(int){through}, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        portal_close(through);
    return 1;
}
/* What a portal's place has whose server was not there when it was waited for. */
enum { NOBODY = -1 };
/* It is waited for what provides `name`, once: where that was in vain, *portal is NOBODY, and whoever asks later has his answer at once. */
static int until_there(int *portal, const char *name)
{
    int next;
    for (unsigned long long end = __pebble_units() + SERVER_PATIENCE; (next = __pebble_opened(portal, name)) == -ENOENT && __pebble_units() < end;)
        pebble_scheduler_sleep(SERVER_LATER);
    if (next == -ENOENT)
        __atomic_compare_exchange_n(portal, &(int){0}, NOBODY, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return next;
}
int __pebble_awaited(int *portal, const char *name)
{
    int found = __pebble_opened(portal, name);
    return found == -ENOENT && __atomic_load_n(portal, __ATOMIC_RELAXED) != NOBODY ? until_there(portal, name) : found;
}
int __pebble_reopened(int *portal, const char *name, int through, word result)
{
    if (!__pebble_lost(portal, through, result))
        return 0;
    int next = until_there(portal, name);
    return next > 0 ? next : 0;
}
int portal_close(int portal)
{
    return pebble_portal_close(portal);
}
int portal_create_child(int asid, int portal, const char *spec, word constant, word (*entry)())
{
    struct child c = {.asid = asid, .portal = portal, .constant = constant, .entry = (uint64_t)entry};
    if (!copy_name(c.spec, spec))
        return -(ESPEC + 7 * 256 + NAMELEN - 1);
    return pebble_portal_create_child(&c);
}
int portal_create_stub(int asid, int portal, const char *spec, word (*intercept)())
{
    /* What the portals of these letters insert is not passed. */
    static const char inserted[] = "c=tahd";
    char stub[NAMELEN] = "sm=", *out = stub + 3;
    for (const char *letter = spec[0] && spec[1] ? spec + 2 : ""; *letter && out < stub + sizeof stub - 1; letter++)
        if (!strchr(inserted, *letter))
            *out++ = *letter;
    return (portal_create_child)(asid, portal, stub, 0, intercept);
}
int portal_info(int portal, char spec[NAMELEN], char name[NAMELEN])
{
    struct description d;
    int result = pebble_portal_info(portal, &d);
    if (result == 0) {
        memcpy(spec, d.spec, NAMELEN);
        memcpy(name, d.name, NAMELEN);
    }
    return result;
}
int portal_callers(int after, struct portal_caller *caller)
{
    return pebble_portal_callers(after, caller);
}

static int (*user_notify)(int asid, int portal, char *spec);

/* Called by the portal manager, on a stack of this domain's queue. */
static word notified(word asid, word portal)
{
    char spec[NAMELEN], name[NAMELEN];
    if (portal_info(portal, spec, name) != 0)
        return 0;
    return user_notify(asid, portal, spec);
}
int portal_notify(int (*notify)(int asid, int portal, char *spec))
{
    user_notify = notify;
    return invoke_portal(SYS_PORTAL_NOTIFY, notify ? notified : 0);
}
