// system served-sfi
// timeout 60
// expect status 0
// expect stdout the server answers: 42
/* A client that a fault domain calls back, and that calls it again in there, until there is no stack left in it. Then the innermost waits for one that will
   not come, until the outermost's time is over: all of them end, and the server goes on. */
#include <pebble.h>

static int pass_on, deepest;
static volatile int depth;
static _Alignas(4096) char text[] = "ab";

static word add(word a, word b)
{
    (void)a, (void)b;
    deepest = ++depth > deepest ? depth : deepest;
    word inside = invoke_portal(pass_on, (word)text, 2l);
    depth--;
    return inside < 0 ? inside : inside + 1;
}
int main(void)
{
    int result = portal_register("app.add", "npii", add, NULL, 60);
    pass_on = portal_open("server.pass_on");
    int sum = portal_open("server.add");
    if (result < 0 || pass_on < 0 || sum < 0)
        return printf("%d %d %d\n", result, pass_on, sum), 1;
    for (int n = 0; n < 5; n++) {
        word end = invoke_portal_timed(20000000, pass_on, text, 2);
        if (end >= 0 || deepest < 2)
            return printf("round %d: %ld, %d deep\n", n, end, deepest), 1;
        /* Those that are in it still end by themselves. */
        while (depth)
            hrsleep(100000);
        if (n == 0)
            printf("%d deep: %s\n", deepest, pebble_strerror((int)end));
    }
    printf("the server answers: %ld\n", invoke_portal(sum, 40l, 2l));
    return 0;
}
