/*
 * Every specification with the head HEAD and up to four argument letters: called from another domain and from the server's own,
 * or rejected.
 */
#include "specifications.h"

#define MOST 4

int main(void)
{
    int server = fork_server("app");
    if (starts() || calls_to("app", (struct ends){.name = "between domains"}))
        return 1;
    all_with(HEAD, MOST, call_if_right);
    printf("%s: %ld specifications right between domains\n", HEAD, called);
    long between = called;
    called = 0;
    calls_to(NULL, (struct ends){.name = "same domain", .same_domain = 1});
    all_with(HEAD, MOST, call_if_right);
    all_with(HEAD, MOST, reject_if_wrong);
    printf("%s: %ld right within one, %ld rejected\n", HEAD, called, rejected);
    fflush(stdout);
    int all = called == right_ones(MOST) && between == called && called + rejected == strings(MOST);
    printf("that is %s\n", all ? "all of them" : "not all of them");
    domain_kill(server);
    return !all;
}
