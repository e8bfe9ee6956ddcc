// system supervised
// timeout 120
/* A component in supervisor mode calls its caller back, which calls it again, until no more calls fit on top of each other, in several threads, which wait for
   its stacks, and are killed at any depth of that. Each call that returns finds its stack as it was. */
#include "include/hostile.h"
#include "include/inside.h"

enum { THREADS = 4 };
static int calls;
/* In the caller's domain. */
static word again(word depth)
{
    word here[16];
    for (int n = 0; n < 16; n++)
        here[n] = depth ^ n;
    word result = invoke_portal(calls, "app.again", depth);
    for (int n = 0; n < 16; n++)
        if (here[n] != (depth ^ n))
            return -EIO;
    return result == -EDEPTH ? depth : result;
}
static volatile word results[THREADS];
static void nests(void *number)
{
    results[(word)number] = invoke_portal(calls, "app.again", 0l);
}
static int attack(void)
{
    int status;
    for (int round = 0; round < hostile_rounds(12); round++) {
        int task = domain_fork(0);
        if (task == 0) {
            calls = inside("inside.nests");
            if (calls < 0 || portal_register("app.again", "npi", again, NULL, 60) < 0)
                _Exit(50);
            word deepest = invoke_portal(calls, "app.again", 0l);
            if (deepest < 1)
                _Exit(51);
            if (round % 2)
                _Exit(invoke_portal(calls, "app.again", 0l) == deepest ? 0 : 52);
            for (word n = 0; n < THREADS; n++)
                thread_create(nests, (void *)n, -1);
            hrsleep(1009ull * (round * 31 % 89));
            _Exit(0);
        }
        wall(1, task > 0 && domain_wait(task, &status) == 0);
        if (status)
            printf("status %d\n", status);
        wall(2, status == 0);
    }
    return 0;
}
