// expect stdout 53 calls, right
/* `W` and `R`: a buffer of several pages, at any offset and of any length up to what eight pages hold; what the server writes
   through `W` is in the caller's buffer, what it reads through `R` is what the caller has written, in two windows at once. */
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#define PAGES 8
#define SIZE (PAGES * 4096)

static word add_one(unsigned char *out, long bytes, const unsigned char *in, long in_bytes)
{
    for (long n = 0; n < bytes && n < in_bytes; n++)
        out[n] = in[n] + 1;
    return bytes;
}
static word sum(const unsigned char *in, long bytes)
{
    word total = 0;
    for (long n = 0; n < bytes; n++)
        total += in[n];
    return total;
}
static word nothing(const char *in, long bytes, int portal) { return bytes == 0 ? 7 : -1; }

static word serve(void)
{
    return portal_register("app.add", "nmWiRi", add_one, NULL, 2)
        || portal_register("app.sum", "npRi", sum, NULL, 0)
        || portal_register("app.nothing", "nmRi=", nothing, NULL, 0);
}

int main(void)
{
    int ready = sem_create(0), end = sem_create(0), failed = 0;
    int child = domain_fork(NULL);
    if (child == 0) {
        word result = serve();
        sem_post(ready);
        sem_wait(end);
        exit(result != 0);
    }
    sem_wait(ready);
    int add = portal_open("app.add"), total = portal_open("app.sum"), none = portal_open("app.nothing");
    unsigned char *in = aligned_alloc(4096, SIZE + 8192), *out = aligned_alloc(4096, SIZE + 8192);
    for (long n = 0; n < SIZE + 8192; n++)
        in[n] = n * 7 + n / 4096;
    const long lengths[] = { 1, 2, 100, 4095, 4096, 4097, 8191, 8192, 20000, SIZE - 4096, SIZE - 1, SIZE };
    const long offsets[] = { 0, 1, 8, 2048, 4095 };
    int calls = 0;
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            long bytes = lengths[l], at = offsets[o], pages = (at + bytes + 4095) / 4096;
            memset(out, 0, SIZE + 8192);
            word result = invoke_portal(add, out + at, bytes, in + at, bytes);
            if (pages > PAGES) {
                failed |= result != -EINVAL;
                continue;
            }
            calls++;
            word expected = 0;
            for (long n = 0; n < bytes; n++) {
                failed |= out[at + n] != (unsigned char)(in[at + n] + 1);
                expected += in[at + n];
            }
            failed |= (at > 0 && out[at - 1] != 0) || out[at + bytes] != 0 || result != bytes;
            failed |= invoke_portal(total, in + at, bytes) != expected;
        }
    /* No page is shown for a length of 0, wherever the pointer leads. */
    failed |= invoke_portal(none, (char *)NULL, 0L) != 7 || invoke_portal(none, (char *)123, 0L) != 7;
    sem_post(end);
    int status;
    domain_wait(child, &status);
    printf("%d calls, %s\n", calls, failed || status ? "wrong" : "right");
    return failed;
}
