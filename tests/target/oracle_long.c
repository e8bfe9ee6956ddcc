// timeout 240
// expect stdout 3000 specifications right between domains, 3000 within one
/* A sample of the specifications with five and six letters, between untrusted domains and within one. It is the same each time; the
   program's argument chooses another. */
#include "include/specifications.h"

#define CALLS 3000

int main(int argc, char **argv)
{
    int server = fork_server("app");
    start_sample(argc, argv);
    if (starts() || calls_to("app", (struct ends){.name = "between domains"}))
        return 1;
    sample(CALLS, 5, 6);
    calls_to(NULL, (struct ends){.name = "same domain", .same_domain = 1});
    sample(CALLS, 5, 6);
    printf("%d specifications right between domains, %d within one\n", CALLS, CALLS);
    fflush(stdout);
    return domain_kill(server);
}
