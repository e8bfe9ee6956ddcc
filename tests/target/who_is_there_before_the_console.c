// system early
// expect stdout output is heard
// expect stderr so are errors
#include <unistd.h>

/* What component "early" says, which was started first. */
int main(void)
{
    usleep(500000);
    return 0;
}
