// expect stdout nothing is left
// timeout 60
/* Domains that are killed at any moment of what they do with files, pipes and capabilities: what they had is charged to nobody once
   it is collected, and the accounts are the sum of what is kept (inspect.check). */
#include "include/accounts.h"
#include "include/all_holds.h"
#include <fcntl.h>
#include <unistd.h>

enum { ROUNDS = 120, PAGE = 4096, PROGRAM = 5, PATIENCE = 200 };
static struct account before, after;

static word take(word capability, word unused)
{
    (void)unused;
    struct cap_info info;
    return cap_info(capability, &info) < 0 ? -EBADF : (word)info.rights;
}
static void works(int round)
{
    static char page[PAGE];
    char name[NAMELEN];
    int passes = portal_open("app.take");
    for (int n = 0;; n++) {
        snprintf(name, sizeof name, "/works.%d", (round + n) % 3);
        int file = open(name, O_RDWR | O_CREAT, 0644), ends[2] = { -1, -1 };
        write(file, page, sizeof page);
        pipe(ends);
        int copy = dup(file);
        word own = cap_create(n, 7, n % 2 ? CAP_ONCE : 0);
        invoke_portal(passes, own, n);
        if (n % 3 == 0)
            cap_drop(own);
        close(n % 2 ? file : copy);
        close(ends[n % 2]);
        if (n % 5 == 0)
            truncate(name, 0);
        if (n % 8 == 7) {
            unlink(name);
            close(n % 2 ? copy : file);
            close(ends[1 - n % 2]);
        }
    }
}
int main(void)
{
    int inspect = portal_open("inspect.account"), check = portal_open("inspect.check"), status;
    if (portal_register("app.take", "nmki", take, NULL, 2) < 0 || invoke_portal(inspect, PROGRAM, &before) < 0)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        int child = domain_fork(NULL);
        if (child == 0)
            works(round);
        if (child < 0)
            return 2;
        hrsleep(20000 + 7919ull * round);
        domain_kill(child);
        domain_wait(child, &status);
    }
    /* The dead are swept by who adds: who is at its limit sweeps until there is room. */
    int made = 0, wrong = 0;
    while (cap_create(0, 0, 0) > 0)
        made++;
    for (int patience = 0; patience < PATIENCE; patience++) {
        hrsleep(1000000);
        /* A call that one of them had made may have come to its end behind the last look, and made a file again. */
        for (int n = 0; n < 3; n++) {
            char name[NAMELEN];
            snprintf(name, sizeof name, "/works.%d", n);
            unlink(name);
        }
        if (invoke_portal(inspect, PROGRAM, &after) < 0)
            return 3;
        after.used[CAPABILITIES] -= made;
        wrong = 0;
        for (int n = FILES; n < PROCESSOR; n++)
            wrong += after.used[n] != before.used[n];
        if (!wrong)
            break;
    }
    for (int n = FILES; n < PROCESSOR && wrong; n++)
        printf("resource %d: %u are taken, and were %u\n", n, after.used[n], before.used[n]);
    wrong |= !all_holds(check, "at the end");
    if (!wrong)
        printf("nothing is left\n");
    return wrong;
}
