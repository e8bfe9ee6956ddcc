// expect stdout own: not handed over
// expect stdout for another: not handed over
// expect stdout for this one: 0, then it reads: x
// expect stdout again: not handed over
/* A domain gets only what its own starter has handed over to it, once: not what is for another, nor from another, nor again. */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <stdio.h>
#include <unistd.h>

enum { CONTROL = 3, HAND = 6 };
struct hand {
    word domain, stream;
} __attribute__((aligned(16)));

static int hand_over(int file, word domain, word stream)
{
    struct hand hand = {domain, stream};
    return invoke_portal(file + CONTROL, (word)HAND, &hand);
}
static void inherit(const char *what, word starter, word stream)
{
    word file = invoke_portal(portal_open("files.inherit"), starter, stream);
    if (file < 0) {
        printf("%s: %s\n", what, file == -ENOENT ? "not handed over" : pebble_strerror(file));
        return;
    }
    char byte = 0;
    read(file, &byte, 1);
    printf("%s: 0, then it reads: %c\n", what, byte);
}
static word who(word identity) { return identity; }
int main(void)
{
    portal_register("app.who", "npd", who, 0, 1);
    const word another = 1l << 16;
    word own = invoke_portal(portal_open("app.who"));
    int file = open("x", O_RDWR | O_CREAT);
    write(file, "x", 1);
    lseek(file, 0, SEEK_SET);
    inherit("own", own, 0);
    hand_over(file, own + another, 0);
    inherit("for another", own, 0);
    hand_over(file, own, 0);
    inherit("for this one", own, 0);
    inherit("again", own, 0);
    if (hand_over(file, get_asid(), 0) != -EINVAL || invoke_portal(portal_open("files.inherit"), (word)get_asid(), 0l) != -EINVAL)
        printf("a number was taken for a domain\n");
    if (hand_over(file, own, 3) != -EINVAL || hand_over(file, own, -1) != -EINVAL)
        printf("a stream that there is not was handed over\n");
    return 0;
}
