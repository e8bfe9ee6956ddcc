/* The operations on files, as apps/bench/services/storage.rs has them for Pebble: the same sizes, places and number of times. */
#include "services.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#define TIMES 200
#define PAGE  4096
#define PAGES 512 /* of the file */
#define MANY  8192 /* of one that is read past the cache */

/* The operation's result decides, once the mark is made. */
#define EACH(k, what, operation)        \
    for (int n = 0; n < TIMES; n++) {   \
        MARK(k);                        \
        long result_ = (operation);     \
        MARK(k);                        \
        CHECK(result_, what);           \
    }

static char page[PAGE] __attribute__((aligned(PAGE)));

/* Another page each time, in no order. */
static off_t place(int n, int pages)
{
    return (off_t)(n * 37 % pages) * PAGE;
}
static int filled(const char *path, int pages)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    CHECK(file, path);
    for (int n = 0; n < pages; n++)
        CHECK(write(file, page, PAGE) == PAGE ? 0 : -1, path);
    return file;
}
static long created(const char *path)
{
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    return file < 0 ? file : close(file) < 0 ? -1 : unlink(path);
}
static long written(int file, off_t at)
{
    return pwrite(file, page, PAGE, at) == PAGE ? fsync(file) : -1;
}
static void past_the_cache(const char *path)
{
    close(filled(path, MANY));
    sync();
    int file = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    CHECK(file, path);
    EACH(ON_DISK + 7, "read past the cache", pread(file, page, PAGE, place(n, MANY)));
    close(file);
}
void disk_files(const char *folder)
{
    char path[64], other[64], large[64];
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(other, sizeof other, "%s/new", folder);
    snprintf(large, sizeof large, "%s/large", folder);
    int file = filled(path, PAGES);
    CHECK(fsync(file), "fsync");
    EACH(ON_DISK + 0, "read", pread(file, page, PAGE, place(n, PAGES)));
    EACH(ON_DISK + 1, "write", pwrite(file, page, PAGE, place(n, PAGES)));
    CHECK(fsync(file), "fsync");
    EACH(ON_DISK + 2, "overwrite", written(file, place(n, PAGES)));
    EACH(ON_DISK + 4, "append", written(file, (off_t)(PAGES + n) * PAGE));
    EACH(ON_DISK + 5, "create and unlink", created(other));
    close(file);
    past_the_cache(large);
}
void memory_files(const char *folder)
{
    char path[64], other[64];
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(other, sizeof other, "%s/new", folder);
    int file = filled(path, PAGES);
    EACH(IN_MEMORY + 0, "read", pread(file, page, PAGE, place(n, PAGES)));
    EACH(IN_MEMORY + 1, "write", pwrite(file, page, PAGE, place(n, PAGES)));
    EACH(IN_MEMORY + 2, "create and unlink", created(other));
    close(file);
}
