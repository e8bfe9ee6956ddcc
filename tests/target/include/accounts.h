/* What `inspect.account` answers: `abi::account::Report`, with as many numbers as there are resources there. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H
#include <stdint.h>

/* Of the processor an account has a share, and keeps nothing. */
enum { FILES = 6, STORAGE, DISK, CAPABILITIES, PROCESSOR, RESOURCES };
struct account {
    _Alignas(128) uint32_t used[RESOURCES];
    uint32_t limits[RESOURCES];
};
#endif
