// timeout 240
// system oracle
// expect stdout 7296 specifications right into a trusted domain
// expect stdout and 1000 longer ones
/* Calls from an untrusted domain to a trusted one: every specification with up to three letters, and a sample of those with four to
   six. */
#include "include/specifications.h"

int main(int argc, char **argv)
{
    start_sample(argc, argv);
    if (starts() || calls_to("app.trusted", (struct ends){.name = "into a trusted domain", .server_trusted = 1}))
        return 1;
    for (int n = 0; n < HEADS; n++)
        all_with(heads[n], 3, call_if_right);
    printf("%ld specifications right into a trusted domain\n", called);
    sample(1000, 4, 6);
    printf("and 1000 longer ones\n");
    return called != HEADS * right_ones(3);
}
