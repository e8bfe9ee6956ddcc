/* One domain of a chain of calls: `chain LEVEL STACK`, STACK being the specification's first letter. It provides
   chain.STACK-LEVEL, chain.STACK-window-LEVEL, which take how many more domains to go through, and passes on to the next
   level. The levels start from the last, so that each finds the next. */
#include <pebble.h>

static int next, next_window;

static word pass(word constant, word more, word b, word c)
{
    return more > 0 ? invoke_portal(next, more - 1, b, c) : constant;
}
/* more < 0: as many as -more - 1, and every domain writes to the window. */
static word pass_window(word constant, volatile char *window, word more, word c)
{
    if (more >= 0)
        return more > 0 ? invoke_portal(next_window, window, more - 1, c) : constant;
    *window = 1;
    return more < -1 ? invoke_portal(next_window, window, more + 1, c) : constant;
}
static word two(word constant, word a, word b)
{
    return constant + a + b;
}
int main(int argc, char **argv)
{
    char name[NAMELEN], specification[8];
    word constant = 1;
    int level = argc > 2 ? atoi(argv[1]) : 0, stack = argc > 2 ? *argv[2] : 0, state = stack == 's' ? 'm' : 'p';
    if (level < 1 || (stack != 's' && stack != 'n'))
        return 1;
    snprintf(name, sizeof name, "chain.%c-%d", stack, level + 1);
    next = portal_open(name);
    snprintf(name, sizeof name, "chain.%c-window-%d", stack, level + 1);
    next_window = portal_open(name);
    snprintf(name, sizeof name, "chain.%c-%d", stack, level);
    snprintf(specification, sizeof specification, "%c%cciii", stack, state);
    int r = portal_register(name, specification, pass, &constant, 2);
    snprintf(name, sizeof name, "chain.%c-window-%d", stack, level);
    snprintf(specification, sizeof specification, "%c%ccwii", stack, state);
    if (r < 0 || portal_register(name, specification, pass_window, &constant, 0) < 0)
        return 1;
    /* For portals to be generated: two words, a window and a word. */
    if (level == 1) {
        snprintf(name, sizeof name, "chain.%c-two", stack);
        snprintf(specification, sizeof specification, "%c%ccii", stack, state);
        portal_register(name, specification, two, &constant, 0);
        snprintf(name, sizeof name, "chain.%c-window-two", stack);
        snprintf(specification, sizeof specification, "%c%ccwi", stack, state);
        portal_register(name, specification, two, &constant, 0);
    }
    thread_exit();
}
