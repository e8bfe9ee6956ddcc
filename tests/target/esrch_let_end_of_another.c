// system makers
// timeout 30
// expect stdout by its number: -3
// expect stdout started again: yes
// expect stdout who has ended: -3, who has its serial: -3
// expect stdout who is meant: 0, started again: no
/* Who tells init that a component's end is wanted names the domain by its identity: by a number, which may be another's by the time that
   init looks, it could keep that other one from being started again. */
#include <pebble.h>

/* lib/abi/src/inspect.rs, Domain. */
static struct {
    char name[48];
    uint64_t words[12];
} __attribute__((aligned(128))) domain;
enum { IDENTITY = 6 };

/* Looks for what comes, as long as a busy machine takes, and for what does not: a second. */
enum { COMES = 5000, DOES_NOT_COME = 100 };
/* The identity of the component that init starts again, another one than `not`; 0: it does not run after so many looks. */
static word again(word not, int looks)
{
    int inspect = portal_open("inspect.domain");
    for (int tries = 0; tries < looks; tries++, hrsleep(5000000))
        for (int n = 1; n < 512; n++)
            if (invoke_portal(inspect, (word)n, &domain) == 0 && strcmp(domain.name, "loops") == 0 && (word)domain.words[IDENTITY] != not)
                return domain.words[IDENTITY];
    return 0;
}
int main(void)
{
    int let_end = portal_open("init.let_end"), destroy = portal_open("domain.destroy");
    word first = again(0, COMES);
    printf("by its number: %ld\n", invoke_portal(let_end, first & 0xffff));
    invoke_portal(destroy, first);
    word second = again(first, COMES);
    printf("started again: %s\n", second ? "yes" : "no");
    printf("who has ended: %ld, who has its serial: %ld\n", invoke_portal(let_end, first),
           invoke_portal(let_end, (first & ~0xfffful) | (second & 0xffff)));
    printf("who is meant: %ld, ", invoke_portal(let_end, second));
    invoke_portal(destroy, second);
    printf("started again: %s\n", again(second, DOES_NOT_COME) ? "yes" : "no");
    return 0;
}
