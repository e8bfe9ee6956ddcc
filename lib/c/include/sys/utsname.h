/* What system this is. */
#ifndef PEBBLE_SYS_UTSNAME_H
#define PEBBLE_SYS_UTSNAME_H
#ifdef __cplusplus
extern "C" {
#endif
struct utsname {
    char sysname[16], nodename[16], release[16], version[16], machine[16];
};
int uname(struct utsname *name);
#ifdef __cplusplus
}
#endif
#endif
