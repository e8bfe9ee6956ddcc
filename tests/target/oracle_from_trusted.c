// timeout 240
// system oracle-trusted
// expect stdout 7296 specifications right from a trusted domain to an untrusted one, and 1000 longer ones
// expect stdout 7296 specifications right from a trusted domain to another, and 1000 longer ones
// expect stdout 7296 specifications right within a trusted domain, and 1000 longer ones
/* Calls from a trusted domain to an untrusted one, to another trusted one, and within it: every specification with up to three
   letters, and a sample of those with four to six. */
#include "include/specifications.h"

static int calls(const char *server, struct ends ends)
{
    if (calls_to(server, ends))
        return 1;
    called = 0;
    for (int n = 0; n < HEADS; n++)
        all_with(heads[n], 3, call_if_right);
    sample(1000, 4, 6);
    printf("%ld specifications right %s, and 1000 longer ones\n", called, ends.name);
    return called != HEADS * right_ones(3);
}
int main(int argc, char **argv)
{
    start_sample(argc, argv);
    return starts()
        || calls("app.untrusted", (struct ends){"from a trusted domain to an untrusted one", .caller_trusted = 1})
        || calls("app.trusted",
                 (struct ends){"from a trusted domain to another", .caller_trusted = 1, .server_trusted = 1})
        || calls(NULL, (struct ends){"within a trusted domain", 1, 1, 1});
}
