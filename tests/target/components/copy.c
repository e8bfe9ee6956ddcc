/* Copies standard input to standard output, after so many seconds; says on standard error how many bytes there were. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char buffer[4096] __attribute__((aligned(4096)));
    unsigned long bytes = 0;
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1)
        sleep(atoi(argv[1]));
    for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0; bytes += n)
        for (ssize_t done = 0, m; done < n; done += m)
            if ((m = write(1, buffer + done, n - done)) < 0) {
                perror("copy");
                return 1;
            }
    fprintf(stderr, "%lu bytes\n", bytes);
    return 0;
}
