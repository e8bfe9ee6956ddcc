// timeout 240
// sample 4
/* A sample of the specifications with five and six letters, between untrusted domains and within one. It is the same each time; the
   program's second argument chooses another. */
#include "include/specifications.h"

#define CALLS 3000

int main(int argc, char **argv)
{
    int server = fork_server("app");
    start_sample(argc, argv);
    if (starts() || calls_to("app", (struct ends){.name = "between domains"}))
        return 1;
    sample(CALLS / share, 5, 6);
    calls_to(NULL, (struct ends){.name = "same domain", .same_domain = 1});
    sample(CALLS / share, 5, 6);
    printf("%ld specifications right between domains, and within one\n", CALLS / share);
    say_share();
    return domain_kill(server);
}
