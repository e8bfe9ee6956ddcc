// system neighbours
// expect stdout before: 0
// expect stdout the neighbour has room for others
// timeout 60
/* Pages shared with a server that keeps them: there is an end to it for who shares, and the server goes on for itself. */
#include "include/once_there.h"

enum { PAGE = 4096, MOST = 512, LEAST = 31 };
static _Alignas(PAGE) char pages[9][PAGE];

int main(void)
{
    int work = once_there("app.work"), keep = portal_open("app.keep");
    printf("before: %ld\n", invoke_portal(work, 0));
    fflush(stdout);
    int shared = 0;
    word result;
    /* A frame is shared at most 255 times, copies of the neighbour included. */
    while ((result = invoke_portal(keep, pages[shared / 64], (long)PAGE)) > 0 && shared < MOST)
        shared++;
    int status = -1, child = domain_fork(0);
    if (child == 0)
        exit(invoke_portal(keep, pages[8], (long)PAGE) == -ENOMEM ? 0 : 1);
    if (result != -ENOMEM || shared < LEAST || domain_wait(child, &status) < 0 || status != 0) {
        printf("%d pages are shared, and then %ld; a child: %d\n", shared, result, status);
        return 1;
    }
    for (int round = 1; round < 4; round++) {
        word missing = invoke_portal(work, round);
        if (missing != 0) {
            printf("the neighbour misses %ld\n", missing);
            return 1;
        }
    }
    printf("the neighbour has room for others\n");
    return 0;
}
