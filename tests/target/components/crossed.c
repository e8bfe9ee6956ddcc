/*
 * One of several fault domains in one address space ("crossed"), each of which looks what the others' calls leave in registers, and what calls find
 * there: no word but arguments, results and what was its own. Its arguments are its name and those of the others.
 */
#include <pebble.h>
#include <errno.h>
#include <stdlib.h>

#define SECRET "0x5ec2e75ec2e75ec2"
#define OWN 0x0a11d0a11d0a11d0
/* Words of a frame: integer registers by their numbers, floating-point ones behind them, the exception flags. */
enum { FLOATING = 32, FLAGS = 64, WORDS = 65 };

extern word work(void), entered(void), crossed(word portal);
extern word entered_with(const word *frame), came_back_with(const word *frame);

__asm__(".macro each_floating instruction, more:vararg\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "\\instruction f\\n, \\more\n"
        ".endr\n"
        ".endm\n"
        /* All but ra, sp, gp, tp and those that a fault domain's code has for its sequences. */
        ".macro each_integer instruction, more:vararg\n"
        ".irp n, 5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27\n"
        "\\instruction x\\n, \\more\n"
        ".endr\n"
        ".endm\n"
        ".macro keep base\n"
        "addi sp, sp, -1024\n"
        "sd ra, 1000(sp)\n"
        ".irp n, 8,9,18,19,20,21,22,23,24,25,26,27\n"
        "sd x\\n, 560+8*\\n(sp)\n"
        "fsd f\\n, 776+8*\\n(sp)\n"
        ".endr\n"
        ".endm\n"
        ".macro back\n"
        ".irp n, 8,9,18,19,20,21,22,23,24,25,26,27\n"
        "ld x\\n, 560+8*\\n(sp)\n"
        "fld f\\n, 776+8*\\n(sp)\n"
        ".endr\n"
        "ld ra, 1000(sp)\n"
        "addi sp, sp, 1024\n"
        "ret\n"
        ".endm\n"
        ".macro frame\n"
        ".irp n, 5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27\n"
        "sd x\\n, 8*\\n(sp)\n"
        ".endr\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "fsd f\\n, 256+8*\\n(sp)\n"
        ".endr\n"
        "frflags a1\n"
        "sd a1, 512(sp)\n"
        ".endm\n"
        ".text\n"
        /* What it computes with stays in all registers, those that a function keeps as well. */
        "work:\n"
        "li a1, " SECRET "\n"
        "each_floating fmv.d.x, a1\n"
        "each_integer mv, a1\n"
        "fsflags a1\n"
        "li a0, 7\n"
        "ret\n"
        /* What it finds where it is called. */
        "entered:\n"
        "keep\n"
        "frame\n"
        "mv a0, sp\n"
        "call entered_with\n"
        "back\n"
        /* What it finds behind a call of that portal, before which all had what is its own, and the flags one of their bits. */
        "crossed:\n"
        "keep\n"
        "mv a7, a0\n"
        "ld t0, own\n"
        ".irp n, 6,7,8,9,11,12,13,14,15,16,18,19,20,21,22,23,24,25,26,27\n"
        "mv x\\n, t0\n"
        ".endr\n"
        "each_floating fmv.d.x, t0\n"
        "fsflags zero\n"
        "csrsi fflags, 4\n"
        "li a0, 0\n"
        "ecall\n"
        "frame\n"
        "mv a0, sp\n"
        "call came_back_with\n"
        "back\n");
const word own = OWN;

static int kept(int n) { return n == 8 || n == 9 || (n >= 18 && n < 28); }
/* How many registers have what they should not; the first is the result's hundreds. */
static word count(int wrong, int first) { return wrong ? 100 * first + wrong : 0; }

/* The worst of what it has found. */
static word worst;
word entered_with(const word *frame)
{
    int wrong = 0, first = 0;
    for (int n = 5; n < FLAGS + 1; n++) {
        /* What called it had its address in t0. */
        int right = frame[n] == 0 || (n == 5 && frame[n] == (word)entered) || (n >= 28 && n < FLOATING);
        if (!right && !wrong++)
            first = n;
    }
    if (wrong)
        worst = count(wrong, first);
    return worst;
}
word came_back_with(const word *frame)
{
    int wrong = 0, first = 0;
    for (int n = 5; n < FLOATING + 32; n++) {
        int result = n == 10 || (n >= 28 && n < FLOATING);
        int right = result || (kept(n % 32) ? frame[n] == OWN : frame[n] == 0 || (frame[n] == OWN && n >= FLOATING));
        if (!right && !wrong++)
            first = n;
    }
    if (frame[FLAGS] != 4 && !wrong++)
        first = FLAGS;
    return count(wrong, first);
}
static char *const *others;
static int opened(const char *who, const char *what)
{
    static _Alignas(64) char name[64];
    int portal;
    snprintf(name, sizeof name, "%s.%s", who, what);
    /* The other may not have begun yet. */
    for (int n = 0; (portal = portal_open(name)) == -ENOENT && n < 1000; n++)
        hrsleep(500000);
    return portal;
}
/* Behind a call of what computes with a secret, of component number `n`. */
static word behind(word n)
{
    int portal = opened(others[n], "work");
    if (portal < 0)
        return portal;
    word found = crossed(portal);
    portal_close(portal);
    return found;
}
/* What component number `n` has found where this one calls it with all registers in use. */
static word finds(word n)
{
    int portal = opened(others[n], "entered");
    if (portal < 0)
        return portal;
    crossed(portal);
    word found = invoke_portal(portal);
    portal_close(portal);
    return found;
}
/* The same where the portal would say what time it is, which is the system's to say: there is none between the two. */
static word behind_timed(word n)
{
    int portal = opened(others[n], "timed");
    return portal == -ENOTSUP ? 0 : portal < 0 ? portal : crossed(portal);
}
/* Behind a call of its host's or of the system's. */
static word system_call(word number) { return crossed(number); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *specification;
        void *entry;
    } all[] = {{"work", "np", work}, {"timed", "npt", work}, {"entered", "np", entered}, {"behind", "npi", behind}, {"behind_timed", "npi", behind_timed}, {"finds", "npi", finds}, {"system", "npi", system_call}};
    static _Alignas(64) char name[64];
    others = argv + 2;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        snprintf(name, sizeof name, "%s.%s", argv[1], all[n].name);
        if (argc < 3 || portal_register(name, all[n].specification, all[n].entry, NULL, n ? 0 : 6) < 0)
            return 3;
    }
    thread_exit();
}
