/* What <dirent.h> leaves to the system: directories of the files component. */
#ifndef PEBBLE_SYS_DIRENT_H
#define PEBBLE_SYS_DIRENT_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12

/* `.` and `..` are not among the entries. */
struct dirent {
    ino_t d_ino;
    unsigned char d_type;
    char d_name[64];
};
typedef struct pebble_directory DIR;

#ifdef __cplusplus
}
#endif
#endif
