// expect stdout 40 portals are open, 40 of them still
#include <pebble.h>
/* Who closes V and then destroys the semaphore by P closes nothing else: V's code is another portal's by then. */
int main(void)
{
    char spec[NAMELEN], name[NAMELEN];
    int portals[40], before = 0, after = 0;
    int sem = sem_create(0);
    portal_close(sem + 1);
    /* Until the code of closed portals is freed. */
    for (int n = 0; n < 100; n++)
        portal_close(portal_open("console.write"));
    for (int n = 0; n < 40; n++) {
        portals[n] = n == 0 ? sem_create(0) + 1 : portal_open("console.write");
        before += portal_info(portals[n], spec, name) == 0;
    }
    sem_destroy(sem);
    for (int n = 0; n < 40; n++)
        after += portal_info(portals[n], spec, name) == 0;
    printf("%d portals are open, %d of them still\n", before, after);
    return 0;
}
