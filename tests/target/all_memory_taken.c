// expect stdout all is taken
// expect stdout memory is back
// timeout 60

/* All memory is taken, promises first, then what is kept for the system; after that each call that makes a server allocate
   ends with an error, and the system goes on. */
#include <pebble.h>
#define MOST 4096
static int portals[MOST];
static void sleeper(void *unused)
{
    (void)unused;
    hrsleep(~0ull >> 2);
}
static word entry(word a) { return a; }
/* Makes all that there is until nothing more can be made; how much it was. */
static int take(void)
{
    int count = 0, made = 1;
    char name[NAMELEN] = "app.name";
    for (int round = 0; made && round < 600; round++) {
        made = 0;
        if (count < MOST && (portals[count] = portal_open("console.write")) > 0)
            count++, made++;
        snprintf(name, sizeof name, "app.name.%d", round);
        made += portal_register(name, "smi", entry, 0, 1) == 0;
        made += sem_create(0) > 0;
        made += thread_create(sleeper, 0, 1) > 0;
    }
    return count;
}
int main(void)
{
    void *last = 0, **next;
    /* What output needs is there from here on. */
    printf("all is taken\n");
    fflush(stdout);
    for (size_t bytes = 1 << 20; bytes >= 4096; bytes /= 2)
        while ((next = malloc(bytes)) != 0) {
            *next = last;
            last = next;
        }
    int child = domain_fork(0);
    if (child == 0) {
        take();
        exit(0);
    }
    int count = take();
    for (int n = 0; n < count; n++)
        portal_close(portals[n]);
    while (last != 0) {
        next = last;
        last = *next;
        free(next);
    }
    if (child > 0) {
        domain_kill(child);
        int status;
        domain_wait(child, &status);
    }
    printf("memory is back\n");
    return 0;
}
