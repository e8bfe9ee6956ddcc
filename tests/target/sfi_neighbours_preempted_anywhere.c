// system served-together
// on strict
// slices 3
// timeout 300
// expect stdout right answers: 320
/* Threads of a third component call two neighbours, which call each other, while one of these ends again and again. */
#include <pebble.h>

static word answers;
static void caller(void *n)
{
    static const char *const names[] = {"first.ask", "first.add", "server.add", "first.ask"};
    for (int left = 80; left > 0;) {
        int portal = portal_open(names[(word)n]);
        word result = portal < 0 ? -1 : invoke_portal(portal, 40l, 2l);
        portal_close(portal);
        if (result == 42) {
            __atomic_fetch_add(&answers, 1, __ATOMIC_RELAXED);
            left--;
        } else if (result != -EDEAD && result != -ENOENT && result != -EBUSY && result != -1 && result != -ENOSTACK) {
            printf("%s: %ld\n", names[(word)n], result);
            return;
        } else {
            hrsleep(1000);
        }
    }
}
int main(void)
{
    int threads[4];
    for (word n = 0; n < 4; n++)
        threads[n] = thread_create(caller, (void *)n, -1);
    for (int n = 0; n < 4; n++) {
        int fault = portal_open("second.fault");
        if (fault >= 0)
            invoke_portal(fault);
        portal_close(fault);
        hrsleep(200000);
    }
    for (int n = 0; n < 4; n++)
        thread_join(threads[n]);
    printf("right answers: %ld\n", answers);
    return 0;
}
