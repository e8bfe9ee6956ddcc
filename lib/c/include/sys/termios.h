/* What <termios.h> leaves to the system: the console takes lines, or keys as they come. */
#ifndef PEBBLE_SYS_TERMIOS_H
#define PEBBLE_SYS_TERMIOS_H
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned char cc_t;
typedef unsigned speed_t, tcflag_t;
#define NCCS 20
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
    cc_t c_cc[NCCS];
};
enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSTART, VSTOP, VSUSP, VEOL };
enum { BRKINT = 2, ICRNL = 0x100, IGNBRK = 1, IGNCR = 0x80, IGNPAR = 4, INLCR = 0x40, INPCK = 0x10, ISTRIP = 0x20, IXOFF = 0x1000, IXON = 0x400 };
enum { OPOST = 1, ONLCR = 4 };
enum { CSIZE = 0x30, CS7 = 0x20, CS8 = 0x30, CREAD = 0x80, PARENB = 0x100, CLOCAL = 0x800 };
enum { ISIG = 1, ICANON = 2, ECHO = 8, ECHOE = 0x10, ECHOK = 0x20, ECHONL = 0x40, NOFLSH = 0x80, IEXTEN = 0x8000 };
enum { TCSANOW, TCSADRAIN, TCSAFLUSH };
enum { B9600 = 13, B38400 = 15, B115200 = 0x1002 };
/* Of the flags, ICANON alone changes something: without it keys come as they are pressed, and are not shown. */
int tcgetattr(int fd, struct termios *to);
int tcsetattr(int fd, int when, const struct termios *from);
speed_t cfgetispeed(const struct termios *of);
speed_t cfgetospeed(const struct termios *of);
#ifdef __cplusplus
}
#endif
#endif
