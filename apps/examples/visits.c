/* A web service: counts its visitors, and keeps the count on the disk. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT "/disk/visits"

static unsigned long visits(void)
{
    unsigned long count = 0;
    FILE *file = fopen(COUNT, "r");
    if (file) {
        if (fscanf(file, "%lu", &count) != 1)
            count = 0;
        fclose(file);
    }
    return count;
}
/* A power cut leaves the old count or the new one: a name changes hands at once. */
static int keep(unsigned long count)
{
    FILE *file = fopen(COUNT ".new", "w");
    if (!file)
        return -1;
    fprintf(file, "%lu\n", count);
    fflush(file);
    int kept = fsync(fileno(file));
    fclose(file);
    if (kept < 0 || rename(COUNT ".new", COUNT) < 0)
        return -1;
    /* The new name lasts when its folder does. */
    int folder = open("/disk", O_RDONLY | O_DIRECTORY);
    kept = fsync(folder);
    close(folder);
    return kept;
}
/* The head of a request, which ends with an empty line; 0: the client went, or says too much. */
static int asked(int client, char *head, size_t size)
{
    size_t length = 0;
    while (length < size - 1) {
        ssize_t count = recv(client, head + length, size - 1 - length, 0);
        if (count <= 0)
            return 0;
        length += count;
        head[length] = 0;
        if (strstr(head, "\r\n\r\n"))
            return 1;
    }
    return 0;
}
/* A socket that takes visitors; -1: there is none now. */
static int listening(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 16) == 0)
        return listener;
    if (errno == EACCES) {
        perror("port 8080");
        exit(1);
    }
    close(listener);
    return -1;
}
static void serve(int client, unsigned long *count)
{
    char head[2048], answer[256], page[64];
    if (!asked(client, head, sizeof head) || strncmp(head, "GET / ", 6) != 0)
        return;
    if (keep(++*count) < 0)
        perror(COUNT);
    int length = snprintf(page, sizeof page, "visit %lu\n", *count);
    int all = snprintf(answer, sizeof answer,
                       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", length, page);
    send(client, answer, all, 0);
}
int main(void)
{
    unsigned long count = visits();
    printf("serving, %lu visits so far\n", count);
    /* Anew where TCP/IP was started again, or has no card yet. */
    for (;; usleep(100000)) {
        int listener = listening();
        for (int client; listener >= 0 && (client = accept(listener, NULL, NULL)) >= 0; close(client))
            serve(client, &count);
        if (listener >= 0)
            close(listener);
    }
}
