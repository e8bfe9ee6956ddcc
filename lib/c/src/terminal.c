/* The console as a terminal, and what else is asked of descriptors. */
#include "files.h"
#include <stdarg.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* What a terminal is that edits lines. */
static struct termios settings = {
    .c_iflag = ICRNL,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD | CLOCAL | B115200,
    .c_lflag = ISIG | ICANON | ECHO | ECHOE,
    .c_cc = {[VINTR] = 3, [VQUIT] = 0x1c, [VERASE] = 0x7f, [VKILL] = 0x15, [VEOF] = 4, [VMIN] = 1, [VSUSP] = 0x1a},
};
int __pebble_raw;

int tcgetattr(int fd, struct termios *to)
{
    if (!isatty(fd))
        return -1;
    *to = settings;
    return 0;
}
int tcsetattr(int fd, int when, const struct termios *from)
{
    if (!isatty(fd))
        return -1;
    if (when < TCSANOW || when > TCSAFLUSH)
        return __pebble_failed(-EINVAL);
    settings = *from;
    __pebble_raw = !(from->c_lflag & ICANON);
    return 0;
}
speed_t cfgetispeed(const struct termios *of)
{
    return of->c_cflag & B115200;
}
speed_t cfgetospeed(const struct termios *of)
{
    return of->c_cflag & B115200;
}
int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    int *count = va_arg(arguments, int *);
    va_end(arguments);
    struct status status;
    word result = __pebble_status(fd, &status);
    if (result < 0)
        return __pebble_failed(result);
    if (request != FIONREAD || (status.kind != KIND_FILE && status.kind != KIND_PIPE))
        return __pebble_failed(-ENOTTY);
    off_t done = status.kind == KIND_FILE ? lseek(fd, 0, SEEK_CUR) : 0;
    *count = (uint64_t)done < status.bytes ? (int)(status.bytes - done) : 0;
    return 0;
}
