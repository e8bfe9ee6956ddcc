// timeout 60
// ways plain touch slices strict strict-touch
/* Not in a sandbox: `get_asid` answers for the controlling domain there, so `pager_register` is refused with EACCESS, and the memory manager
   has no handler to call. */
/* A handler that the memory manager calls grants a portal; while a thread is between the look-up of its handler and the call of it, the
   range is unregistered. Neither may put a portal of the attacker's into the memory manager's table, nor lead the call elsewhere. */
#include "include/hostile.h"
#include "include/grant.h"
#include "include/touch.h"
#define PAGE 4096ul

static char *const first = (char *)0x18000000, *const second = (char *)0x18100000;
static volatile int entered, wrong;
static volatile long granted, notified;
static int go, done, delta;

static word taken(word asid, word cause, char *shown, word pc)
{
    (void)asid, (void)cause, (void)pc, (void)shown;
    entered = 1;
    return (word)behind_the_access;
}
static long give(void) { return give_portals(1, "nmiiwi", taken); }
static word gives(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    wrong |= asid != get_asid() || (address & -PAGE) != (word)second;
    granted = give();
    return (word)behind_the_access;
}
static word answers(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    wrong |= asid != get_asid() || (address & -PAGE) != (word)first;
    return (word)behind_the_access;
}
/* What is left of the first range when it is unregistered. */
static word all(word asid, word cause, word address, word pc)
{
    return answers(asid, cause, address, pc);
}
static word told(word asid, word portal)
{
    (void)asid, (void)portal;
    notified = give();
    return 0;
}
static void other(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(go);
        hrsleep(delta);
        pager_unregister(get_asid(), first);
        touch(second);
        sem_post(done);
    }
}
static int attack(void)
{
    go = sem_create(0), done = sem_create(0);
    int me = get_asid();
    wall(1, pager_register(me, second, PAGE, gives) == 0);
    touch(second);
    wall(2, granted == -EINVAL);
    portal_notify(0);
    wall(3, invoke_portal(16, told) == 0);
    int semaphore = sem_create(0);
    wall(4, semaphore > 0 && notified == -EINVAL && sem_destroy(semaphore) == 0);
    wall(5, pager_register(me, 0, 0, all) == 0 && thread_create(other, 0, -1) > 0);
    for (int n = 0; n < 16; n++) {
        int result = pager_register(me, first, PAGE, answers);
        wall(6, result == 0);
        delta = 50 + n * 50;
        sem_post(go);
        /* Until the other one has had its turn, in the middle of one of these. */
        while (sem_trywait(done) == -EAGAIN)
            touch(first);
        wall(7, !entered && !wrong && granted == -EINVAL);
    }
    return 0;
}
