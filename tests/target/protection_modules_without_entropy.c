// expect stdout without a source there is no password
/* A password is drawn from the machine's source of random bytes, or not at all. */
#include <protected.h>

static struct dp_module module;
int main(void)
{
    struct dp_password password = {{7, 7}};
    int client = dp_admit(&module, &password);
    if (client != -EIO || password.words[0] != 7)
        return printf("FAILED: %d\n", client);
    puts("without a source there is no password");
    return 0;
}
