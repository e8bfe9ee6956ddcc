/* Waits for standard input with poll and select, and says when something comes, and its end; with an argument, until nobody takes its output. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

static int output_breaks(void)
{
    struct pollfd output = {.fd = 1, .events = POLLOUT};
    signal(SIGPIPE, SIG_IGN);
    while (poll(&output, 1, -1) == 1 && output.revents == POLLOUT)
        write(1, "x\n", 2);
    fprintf(stderr, "%s\n", output.revents == POLLERR ? "broken" : "something else");
    return 0;
}
int main(int argc, char **argv)
{
    char line[100];
    struct pollfd list[] = {{.fd = 0, .events = POLLIN | POLLOUT}, {.fd = 1, .events = POLLOUT}, {.fd = 2, .events = POLLOUT}};
    if (argc > 1)
        return output_breaks();
    if (poll(list, 1, 50) != 0 || poll(list, 3, -1) != 2 || list[0].revents || list[1].revents != POLLOUT || list[2].revents != POLLOUT)
        return 1;
    puts("nothing yet");
    for (;;) {
        fd_set reads;
        FD_ZERO(&reads);
        FD_SET(0, &reads);
        if (poll(list, 1, -1) != 1 || list[0].revents != POLLIN || select(1, &reads, NULL, NULL, NULL) != 1 || !FD_ISSET(0, &reads))
            return 2;
        ssize_t count = read(0, line, sizeof line);
        if (count <= 0)
            break;
        printf("came: %.*s", (int)count, line);
    }
    puts("ended");
    return 0;
}
