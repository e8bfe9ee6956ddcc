/* Says each second what time it is. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    for (;;) {
        time_t now = time(NULL);
        char text[32];
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&now));
        printf("%s, %ld seconds since 1970\n", text, (long)now);
        sleep(1);
    }
}
