// timeout 240
// system oracle-trusted
// sample 4
/* Calls from a trusted domain to an untrusted one, to another trusted one, and within it: every specification with up to three
   letters, and a sample of those with four to six. */
#include "include/specifications.h"

#define LONGER 1000

static int calls(const char *server, struct ends ends)
{
    if (calls_to(server, ends))
        return 1;
    count_anew();
    for (int n = 0; n < HEADS; n++)
        all_with(heads[n], 3, call_if_right);
    int all = tried(right, HEADS * right_ones(3), called);
    sample(LONGER / share, 4, 6);
    printf("%ld of %ld specifications right %s, and %ld longer ones\n", called, right, ends.name, LONGER / share);
    return !all;
}
int main(int argc, char **argv)
{
    start_sample(argc, argv);
    int failed = starts()
        || calls("app.untrusted", (struct ends){"from a trusted domain to an untrusted one", .caller_trusted = 1})
        || calls("app.trusted",
                 (struct ends){"from a trusted domain to another", .caller_trusted = 1, .server_trusted = 1})
        || calls(NULL, (struct ends){"within a trusted domain", 1, 1, 1});
    if (!failed)
        say_share();
    return failed;
}
