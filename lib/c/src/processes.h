/* What the parts of the C library that know children share. */
#ifndef PEBBLE_PROCESSES_H
#define PEBBLE_PROCESSES_H

#include "files.h"
#include <sys/types.h>

/* A domain was started with these streams: it can be waited for, with all others, and they are closed when it ends. 0, or an error. */
int __pebble_watch(pid_t pid, const int streams[3]);
/* In a copy of the domain that had them: they are not this one's. */
void __pebble_forget_others_children(void);
/* Starts the component that `path` ends with, not watched, with these descriptors as its standard streams; its domain, or an error.
   `streams` then has descriptors that are to be closed when it has ended, or -1. */
int __pebble_start_component(const char *path, char *const *arguments, char *const *variables, int streams[3]);
void __pebble_close_streams(const int streams[3]);
#endif
