// timeout 60
#include "include/hostile.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* Domains whose threads lock a file, all of it or ranges, with and without waiting, are killed, end themselves, close what they hold, and copy themselves while
   others of them wait, at any moment. What each has locked goes with it: afterwards all of the file is to be had at once, and nobody waits for who is not there. Where
   one has copied itself, its copy may have what it had open until it has made its own of it: the file is to be had then when the copy has come so far, or has ended. */
enum { LOCKERS = 3, THREADS = 2, RANGE = 16, COPY_TICKS = 50000, TRIES = 100000 };
static int begun;

static void locks_on(void *seed)
{
    unsigned n = (unsigned)(word)seed;
    for (int fd = -1;; n = n * 1103515245 + 12345) {
        if (fd < 0 && (fd = open("locked", O_RDWR)) < 0)
            continue;
        struct flock range = {.l_type = n >> 20 & 1 ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = n >> 8 & 63, .l_len = n >> 14 & (RANGE - 1)};
        int done;
        switch (n >> 24 & 7) {
        case 0: done = flock(fd, LOCK_EX | LOCK_NB); break;
        case 1: done = flock(fd, n >> 21 & 1 ? LOCK_SH : LOCK_EX); break;
        case 2: done = fcntl(fd, F_SETLKW, &range); break;
        case 3: done = fcntl(fd, F_GETLK, &range); break;
        case 4: range.l_type = F_UNLCK, done = fcntl(fd, F_SETLK, &range); break;
        case 5: done = flock(fd, LOCK_UN); break;
        case 6: done = close(fd), fd = -1; break;
        default: done = fcntl(fd, F_SETLK, &range); break;
        }
        (void)done;
        sem_post(begun);
    }
}
static void locker(int number, int copies)
{
    for (word n = 1; n < THREADS; n++)
        thread_create(locks_on, (void *)(word)(number * 7919 + n * 104729), -1);
    if (copies && number % 3 == 2) {
        /* Its copy has none of its locks, and neither has the other's when one of them ends. */
        int child = domain_fork(0);
        if (child == 0) {
            hrsleep((unsigned long long)COPY_TICKS * (number % 5));
            _Exit(0);
        }
    }
    locks_on((void *)(word)(number * 15485863 + 1));
}
/* All of it, at once. */
static int is_free(void)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open("locked", O_RDWR), free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fcntl(fd, F_SETLK, &all) == 0;
    if (fd >= 0)
        close(fd);
    return free;
}
/* The same as soon as copies have ended. */
static int is_free_then(void)
{
    for (int n = 0; n < TRIES; n++) {
        if (is_free())
            return 1;
        hrsleep(COPY_TICKS);
    }
    return 0;
}
static int attack(void)
{
    begun = sem_create(0);
    int fd = open("locked", O_RDWR | O_CREAT, 0644), lockers[LOCKERS], status;
    wall(1, fd >= 0 && write(fd, "locked", 6) == 6 && close(fd) == 0);
    for (int round = 0; round < hostile_rounds(16); round++) {
        for (int n = 0; n < LOCKERS; n++) {
            lockers[n] = domain_fork(0);
            if (lockers[n] == 0)
                locker(round * LOCKERS + n + 1, round % 2);
            wall(2, lockers[n] > 0);
        }
        for (int made = 0; made < 4 + round % 5; made++)
            sem_wait(begun);
        for (int n = 0; n < LOCKERS; n++) {
            hrsleep(1009ull * (unsigned)((round * 31 + n * 17) % 97));
            domain_kill(lockers[(n + round) % LOCKERS]);
        }
        for (int n = 0; n < LOCKERS; n++)
            wall(3, domain_wait(lockers[n], &status) == 0 && status == -EDEAD);
        wall(4, round % 2 || is_free());
        wall(5, is_free_then());
    }
    unlink("locked");
    return 0;
}
