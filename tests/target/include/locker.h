/* A number and the mutex that it is under, of a program and a part or a child of it. */
#pragma once
#include <errno.h>
#include <pebble.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    long number;
};
typedef union {
    struct shared s;
    char page[4096];
} shared_page;
/* scheduler.lock_wait and scheduler.lock_release. */
enum { PEBBLE_LOCK_WAIT = 35, PEBBLE_LOCK_RELEASE = 36 };

static inline void initialize(struct shared *s, int kind, int robust)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->lock, &attributes);
    s->number = 7;
}
static inline void expect(const char *what, word got, word wanted)
{
    if (got != wanted) {
        printf("FAILED: %s: %ld, not %ld\n", what, got, wanted);
        exit(1);
    }
}
