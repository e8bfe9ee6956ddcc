// expect stdout 1 reader: 400000 bytes, each once
// expect stdout 3 readers: 400000 bytes, each once
// expect stdout a reader that died waiting got nothing: hello
// expect stdout without readers: EPIPE
/* Bytes that are written while readers wait, of all lengths: to one that waits they go at once, between several each goes to one. */
#include <errno.h>
#include <pebble.h>
#include <unistd.h>

enum { BYTES = 400000, READERS = 3 };
static char data[9000] __attribute__((aligned(4096)));

static void run(int readers)
{
    int bytes[2], sums[2], children[READERS], status;
    if (pipe(bytes) || pipe(sums))
        exit(2);
    for (int n = 0; n < readers; n++) {
        children[n] = domain_fork(0);
        if (children[n] == 0) {
            unsigned long result[2] = {0, 0};
            close(bytes[1]);
            for (unsigned size = 1 + n;; size = size * 7 % 4099 + 1) {
                long got = read(bytes[0], data + size % 5, size);
                if (got <= 0)
                    break;
                result[0] += got;
                for (long at = 0; at < got; at++)
                    result[1] += (unsigned char)data[size % 5 + at];
            }
            write(sums[1], result, sizeof result);
            exit(0);
        }
    }
    close(bytes[0]);
    unsigned long sum = 0, sent = 0;
    unsigned char next = 0;
    for (unsigned size = 1; sent < BYTES; size = size * 5 % 8999 + 1) {
        size = size < BYTES - sent ? size : BYTES - sent;
        for (unsigned at = 0; at < size; at++)
            sum += (unsigned char)(data[at] = next = next * 11 + 3);
        if (write(bytes[1], data, size) != (long)size)
            exit(3);
        sent += size;
        if (size % 3 == 0)
            yield();
    }
    close(bytes[1]);
    unsigned long all[2] = {0, 0}, one[2];
    for (int n = 0; n < readers; n++) {
        if (read(sums[0], one, sizeof one) != sizeof one)
            exit(4);
        all[0] += one[0], all[1] += one[1];
        domain_wait(children[n], &status);
    }
    printf("%d reader%s: %lu bytes, %s\n", readers, readers > 1 ? "s" : "", all[0], all[0] == sent && all[1] == sum ? "each once" : "not each once");
    close(sums[0]), close(sums[1]);
}
int main(void)
{
    run(1);
    run(READERS);

    int bytes[2], status;
    pipe(bytes);
    int waiting = domain_fork(0);
    if (waiting == 0) {
        read(bytes[0], data, 5);
        exit(1);
    }
    hrsleep(20000000);
    domain_kill(waiting);
    domain_wait(waiting, &status);
    /* What it was given may be lost with it, as what it had read would be: not more than it asked for. */
    write(bytes[1], "12345", 5);
    write(bytes[1], "hello", 5);
    char got[11] = {0};
    long count = read(bytes[0], got, 10);
    printf("a reader that died waiting got nothing: %s\n", count >= 5 ? got + count - 5 : "nothing");
    close(bytes[0]);
    errno = 0;
    printf("without readers: %s\n", write(bytes[1], "x", 1) < 0 && errno == EPIPE ? "EPIPE" : "not EPIPE");
    return 0;
}
