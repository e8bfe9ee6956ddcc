// timeout 240
// system oracle
// sample 4
/* Calls from an untrusted domain to a trusted one: every specification with up to three letters, and a sample of those with four to
   six. */
#include "include/specifications.h"

#define LONGER 1000

int main(int argc, char **argv)
{
    start_sample(argc, argv);
    if (starts() || calls_to("app.trusted", (struct ends){.name = "into a trusted domain", .server_trusted = 1}))
        return 1;
    for (int n = 0; n < HEADS; n++)
        all_with(heads[n], 3, call_if_right);
    printf("%ld of %ld specifications right into a trusted domain\n", called, right);
    sample(LONGER / share, 4, 6);
    printf("and %ld longer ones\n", LONGER / share);
    if (!tried(right, HEADS * right_ones(3), called))
        return 1;
    say_share();
    return 0;
}
