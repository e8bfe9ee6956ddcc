// expect stdout the system is as before
// timeout 120
#include <pebble.h>
/* A hostile domain calls every portal that it has, and every number that it has not, with words that are chosen to hurt:
   pointers into the nucleus, wrapping lengths, other domains' numbers. It may end itself; nobody else may notice. */
static unsigned long seed;
static unsigned long next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
_Alignas(4096) static char page[4096];
static word nasty(void)
{
    static const unsigned long words[] = {
        0, 1, 2, 3, 4, 5, 7, 9, 32, 33, 63, 64, 511, 512, 4095, 4096, 0x10000, 0x40000, 0x3fff0000, 0x3ffff000, 0x40000000,
        0x7fffffff, 0x80000000, 0x1000000000, 0x1040007ff0, 0x1080000000, 0xffffffff80400000, 0xffffffffc0200000,
        0x8000000000000000, 0x7fffffffffffffff, -1ul, -2ul, -4096ul};
    switch (next() % 4) {
    case 0: return words[next() % (sizeof words / sizeof *words)];
    case 1: return next();
    case 2: return (word)(page + next() % 4096);
    default: return next() % 600;
    }
}
static void attack(unsigned long with)
{
    seed = with * 0x9e3779b97f4a7c15ul + 1;
    for (int n = 0; n < 3000; n++) {
        for (int i = 0; i < 16; i++)
            ((unsigned long *)page)[next() % 512] = nasty();
        if (next() % 2)
            strcpy(page + (next() % 8) * 64, next() % 2 ? "app.hostile" : "console.write");
        if (next() % 2)
            strcpy(page + (next() % 8) * 64 + 64, next() % 2 ? "npiii" : "smrw");
        int portal = next() % 4 ? (word)(next() % 48) : nasty();
        /* Not: waiting for ever, ending, forking without end, or being called back at a random address. */
        if (portal <= 3 || portal == 5 || portal == 16 || portal == 18 || portal == 19 || portal == 23 || (portal >= 40 && portal < 512))
            continue;
        invoke_portal(portal, nasty(), nasty(), nasty(), nasty(), nasty(), nasty());
    }
}
int main(void)
{
    int status, ended = 0;
    for (int round = 1; round <= 20; round++) {
        int child = domain_fork(0);
        if (child == 0) {
            attack(round);
            exit(0);
        }
        if (child < 0) {
            printf("round %d: %s\n", round, pebble_strerror(child));
            return 1;
        }
        int done = domain_wait(child, &status);
        ended += done == 0;
    }
    /* Everything still works. */
    int sem = sem_create(1);
    char *memory = malloc(100000);
    if (ended != 20 || sem_wait(sem) != 0 || !memory || portal_open("console.write") < 0 || get_asid() <= 0)
        return 2;
    printf("the system is as before\n");
    return 0;
}
