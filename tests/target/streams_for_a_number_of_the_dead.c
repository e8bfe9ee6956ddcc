// expect stdout handed to a number: -22
// expect stdout handed to the heir, which ends: 0
// expect stdout who has its number: nothing
// expect stdout handed over by who has ended, for who has the next's number: nothing
/* What was handed over to a domain that ended before it took it is nobody's: not who has its number later gets it, whoever it says has handed it over.
   Nor does who has the number of a dead starter hand over in its name. */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <stdio.h>
#include <unistd.h>

enum { CONTROL = 3, HAND = 6, NUMBERS = 700, NUMBER = 0xffff };
struct hand {
    word domain, stream;
} __attribute__((aligned(16)));
static int told[2];

static word who(word identity) { return identity; }
/* The caller's identity. */
static word own(void) { return invoke_portal(portal_open("app.who")); }
static word hand_over(int file, word domain)
{
    struct hand hand = {domain, 1};
    return invoke_portal(file + CONTROL, (word)HAND, &hand);
}
static int takes(word starter)
{
    return invoke_portal(portal_open("files.inherit"), starter, 1l) >= 0;
}
/* Whether a new domain that has `number` gets something: from `starter`, from that one's number, or from who may have had it before. */
static const char *who_has(int number, word starter)
{
    for (int n = 0; n < NUMBERS; n++) {
        int status, child = domain_fork(0);
        if (child == 0) {
            if (get_asid() != number)
                exit(0);
            int got = takes(starter) || takes(starter & NUMBER) || takes(own());
            for (word serial = 1; serial < 300; serial++)
                got |= takes(serial << 16 | (starter & NUMBER));
            exit(got ? 2 : 1);
        }
        if (child < 0)
            return "no domain";
        domain_wait(child, &status);
        if (status)
            return status == 1 ? "nothing" : "another's file";
    }
    return "never";
}
int main(void)
{
    int status, file = open("secret", O_RDWR | O_CREAT);
    portal_register("app.who", "npd", who, 0, 4);
    pipe(told);
    int heir = domain_fork(0);
    if (heir == 0) {
        word identity = own();
        write(told[1], &identity, sizeof identity);
        hrsleep(100000000);
        exit(0);
    }
    word identity;
    read(told[0], &identity, sizeof identity);
    printf("handed to a number: %ld\n", hand_over(file, heir));
    printf("handed to the heir, which ends: %ld\n", hand_over(file, identity));
    domain_wait(heir, &status);
    printf("who has its number: %s\n", who_has(heir, own()));
    /* The other way round: the starter ends, and its file is still open here. */
    int starter = domain_fork(0);
    if (starter == 0) {
        word identity = own();
        write(told[1], &identity, sizeof identity);
        exit(hand_over(file, (own() & ~(word)NUMBER) | heir) == 0 ? 0 : 1);
    }
    read(told[0], &identity, sizeof identity);
    domain_wait(starter, &status);
    printf("handed over by who has ended, for who has the next's number: %s\n", who_has(heir, identity));
    return status;
}
