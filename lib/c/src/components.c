/* Components: init's portals for who looks after a system. */
#include "system.h"

#define COMPONENT_NAME 48 /* bytes of a component's or a portal's name, with its 0 */

static int replace, watch, given_up; /* opened at the first use; < 0: why it could not be */

int component_replace(const char *name, const char *by, char in_the_way[NAMELEN])
{
    struct {
        _Alignas(128) char command[2 * COMPONENT_NAME], refused[COMPONENT_NAME]; /* in one page */
    } shown = {0};
    size_t length = strlen(name), more = by ? strlen(by) : 0;
    if (in_the_way)
        in_the_way[0] = 0;
    if (length >= COMPONENT_NAME || more >= COMPONENT_NAME || strpbrk(name, " \t\n") || (by && (!more || strpbrk(by, " \t\n"))))
        return -EINVAL;
    memcpy(shown.command, name, length);
    if (by) {
        shown.command[length] = ' ';
        memcpy(shown.command + length + 1, by, more);
        length += 1 + more;
    }
    int portal = __pebble_opened(&replace, PEBBLE_INIT_REPLACE);
    int result = portal < 0 ? portal : pebble_init_replace(portal, shown.command, length, shown.refused);
    if (in_the_way && result < 0)
        memcpy(in_the_way, shown.refused, COMPONENT_NAME);
    return result;
}

/* A component's name, in one page. */
struct named {
    _Alignas(64) char name[COMPONENT_NAME];
};
static int name_of(const char *name, struct named *of)
{
    size_t length = strlen(name);
    if (!length || length >= COMPONENT_NAME || strpbrk(name, " \t\n"))
        return -EINVAL;
    memcpy(of->name, name, length + 1);
    return (int)length;
}
long component_watch(const char *name, long seen, unsigned long ticks)
{
    struct named of;
    int length = name_of(name, &of);
    if (length < 0)
        return length;
    int portal = __pebble_opened(&watch, PEBBLE_INIT_WATCH);
    return portal < 0 ? portal : (long)pebble_init_watch(portal, of.name, length, seen, ticks);
}
int component_give_up(const char *name)
{
    struct named of;
    int length = name_of(name, &of);
    if (length < 0)
        return length;
    int portal = __pebble_opened(&given_up, PEBBLE_INIT_GIVE_UP);
    return portal < 0 ? portal : (int)pebble_init_give_up(portal, of.name, length);
}
