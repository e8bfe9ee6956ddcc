/* Questions to descriptors. */
#ifndef PEBBLE_SYS_IOCTL_H
#define PEBBLE_SYS_IOCTL_H
#ifdef __cplusplus
extern "C" {
#endif
#define FIONREAD 0x541B
#define TIOCGWINSZ 0x5413
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
/* FIONREAD: bytes that can be read at once from a file or a pipe. All else is ENOTTY: the console does not know its size. */
int ioctl(int fd, unsigned long request, ...);
#ifdef __cplusplus
}
#endif
#endif
