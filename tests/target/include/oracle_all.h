/*
 * Every specification with the head HEAD and up to four argument letters: called from another domain and from the server's own,
 * or rejected.
 */
#include "specifications.h"

#define MOST 4

int main(int argc, char **argv)
{
    int server = fork_server("app");
    start_sample(argc, argv);
    if (starts() || calls_to("app", (struct ends){.name = "between domains"}))
        return 1;
    all_with(HEAD, MOST, call_if_right);
    printf("%s: %ld of %ld specifications right between domains\n", HEAD, called, right);
    int all = tried(right, right_ones(MOST), called);
    count_anew();
    calls_to(NULL, (struct ends){.name = "same domain", .same_domain = 1});
    all_with(HEAD, MOST, call_if_right);
    all_with(HEAD, MOST, reject_if_wrong);
    printf("%s: %ld right within one, %ld of %ld rejected\n", HEAD, called, rejected, wrong);
    all = all && tried(right, right_ones(MOST), called) && tried(wrong, strings(MOST) - right_ones(MOST), rejected);
    domain_kill(server);
    if (all)
        say_share();
    return !all;
}
