// expect stdout the server read: a message
// expect stdout the server wrote: an answer
#include <pebble.h>
static word talk(const char *in, char *out)
{
    printf("the server read: %s\n", in);
    fflush(stdout);
    strcpy(out, "an answer");
    return 0;
}
_Alignas(64) static char message[64], answer[64];
int main(void)
{
    portal_register("app.talk", "nprw", talk, 0, 1);
    int child = domain_fork(0), status;
    if (child == 0) {
        strcpy(message, "a message");
        int result = invoke_portal(portal_open("app.talk"), message, answer);
        printf("the server wrote: %s\n", answer);
        exit(result);
    }
    domain_wait(child, &status);
    return status || answer[0] != 0;
}
