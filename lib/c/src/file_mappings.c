/* Files in memory: a page of a mapping is read from its file when it is touched first, by a pager that is the program itself. The
   mappings lie in one range of addresses, so that the program needs one pager for all of them.

   A page that was only read can be forgotten, for the file has it: where the program's limit of memory is reached, those that were mapped
   first go first, and come back when they are touched. A page that was written is the program's alone, and stays. A page that can not be
   read (it lies behind the end, the disk fails, the files component is gone) ends the program, as a missing page does. */
#include "file_mappings.h"
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Where mappings lie: below the end of the heap, which is this large only where memory is larger than that. In a host they lie behind its fault domain's
   segment (`abi/enclosure.rs`), in which nobody maps anything but for the fault domain. */
#define FIRST (&__fault_domain ? 0x1D000000ul : 0x19000000ul)
#define LAST  0x20000000ul
/* Of the library for hosts, where the program has it. */
extern char __fault_domain __attribute__((weak));
/* Store page fault (RISC-V privileged architecture, table of causes). */
#define STORE 15
/* Pages that are forgotten at once. */
#define FORGOTTEN 16

/* What a page of a mapping is. */
enum { ABSENT, READABLE, WRITTEN };

/* In the order of their addresses. */
struct mapping {
    struct mapping *next;
    char *start;
    size_t bytes;
    off_t offset;
    int file; /* its own, whose position is nobody else's */
    int writable;
    unsigned char pages[];
};
static struct mapping *mappings;
/* Where the next page to forget is looked for. */
static struct mapping *hand;
static size_t hand_page;
/* The domain that answers for the range: a copy of it has to say so itself. */
static int pager;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A page as it is in the file, before anybody sees it. */
static char buffer[PAGE] __attribute__((aligned(PAGE)));

/* Forgets some pages that were only read; how many. The lock is held. */
static int forget(void)
{
    int forgotten = 0;
    size_t looked = 0, most = (LAST - FIRST) / PAGE;
    for (; mappings && forgotten < FORGOTTEN && looked < most; looked++) {
        if (!hand || hand_page * PAGE >= hand->bytes) {
            hand = hand && hand->next ? hand->next : mappings;
            hand_page = 0;
        }
        size_t page = hand_page++;
        if (hand->pages[page] == READABLE && page_unmap(get_asid(), hand->start + page * PAGE) == 0) {
            hand->pages[page] = ABSENT;
            forgotten++;
        }
    }
    return forgotten;
}
/* Reads a page of the file into the buffer, with zeros behind its end. -EFAULT: nothing of it is in the file. */
static word fill(struct mapping *mapping, size_t page)
{
    word result = invoke_portal(mapping->file + PORTAL_SEEK, mapping->offset + (off_t)(page * PAGE), (word)SEEK_SET);
    size_t left = PAGE;
    if (result < 0)
        return result;
    while (left > 0) {
        result = invoke_portal(mapping->file + PORTAL_READ, buffer + PAGE - left, left);
        if (result < 0 || (size_t)result > left)
            return result < 0 ? result : -EIO;
        if (result == 0)
            break;
        left -= result;
    }
    memset(buffer + PAGE - left, 0, left);
    return left == PAGE ? -EFAULT : 0;
}
static word fetch(struct mapping *mapping, size_t page, int store)
{
    char *at = mapping->start + page * PAGE;
    /* Another thread may have been here first. */
    if (mapping->pages[page] == WRITTEN || (mapping->pages[page] == READABLE && !store))
        return 0;
    if (store && !mapping->writable)
        return -EACCESS;
    word result = fill(mapping, page);
    if (result < 0)
        return result;
    do
        result = page_map(get_asid(), at, buffer, store ? PAGE_READ | PAGE_WRITE : PAGE_READ);
    while (result == -ENOMEM && forget());
    if (result == 0)
        mapping->pages[page] = store ? WRITTEN : READABLE;
    return result;
}
/* Nanoseconds until it is tried again to write to a page that a call of another thread shows. */
#define MOMENT 1000000
/* Answers a fault; the thread tries again, or the domain ends. */
static word answer(word asid, word cause, word address, word pc)
{
    (void)asid, (void)pc;
    word result = -EFAULT;
    pthread_mutex_lock(&lock);
    for (struct mapping *mapping = mappings; mapping; mapping = mapping->next)
        if ((size_t)(address - (word)mapping->start) < mapping->bytes)
            result = fetch(mapping, (address - (word)mapping->start) / PAGE, cause == STORE);
    pthread_mutex_unlock(&lock);
    if (result != -EBUSY)
        return result;
    nanosleep(&(struct timespec){.tv_nsec = MOMENT}, NULL);
    return 0;
}
/* A control block of one's own for what a descriptor leads to. */
static word reopened(int file)
{
    char page;
    return invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_REOPEN, &page);
}
static void close_portals(int file)
{
    for (int n = 0; n < PORTAL_COUNT; n++)
        portal_close(file + n);
}
/* In a copy of the domain: it answers for itself, and reads at positions of its own. */
static void in_copy(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (pager_register(get_asid(), (void *)FIRST, LAST - FIRST, answer) < 0)
        return;
    for (struct mapping *mapping = mappings; mapping; mapping = mapping->next) {
        /* Where there is none, touching a page that is not there ends the copy. */
        word own = reopened(mapping->file);
        close_portals(mapping->file);
        mapping->file = own;
    }
}
/* Room for so many bytes behind *at, which is then the mapping that follows it; 0: there is none. The lock is held. */
static char *room(size_t bytes, struct mapping ***at)
{
    char *start = (char *)FIRST;
    for (*at = &mappings; **at && (size_t)((**at)->start - start) < bytes; *at = &(**at)->next)
        start = (**at)->start + (**at)->bytes;
    return **at || LAST - (size_t)start >= bytes ? start : NULL;
}
static word added(struct mapping *mapping)
{
    struct mapping **at;
    word result = 0;
    pthread_mutex_lock(&lock);
    mapping->start = room(mapping->bytes, &at);
    if (!mapping->start)
        result = -ENOMEM;
    else if (!pager)
        result = pager_register(get_asid(), (void *)FIRST, LAST - FIRST, answer);
    if (result == 0) {
        pager = 1;
        __pebble_in_copy[COPY_OF_MAPPINGS] = in_copy;
        mapping->next = *at;
        *at = mapping;
    }
    pthread_mutex_unlock(&lock);
    return result;
}
void *__pebble_map_file(size_t bytes, int protection, int fd, off_t offset)
{
    struct status status;
    word result = __pebble_status(fd, &status);
    if (result >= 0)
        result = status.kind != KIND_FILE               ? -ENODEV
                 : offset < 0 || offset % (off_t)PAGE != 0 ? -EINVAL
                                                        : reopened(__pebble_behind(fd));
    if (result < 0) {
        int unreadable = result == -EBADF && status.kind == KIND_FILE;
        errno = unreadable ? EACCES : -result;
        return NULL;
    }
    struct mapping *mapping = calloc(1, sizeof *mapping + bytes / PAGE);
    word error = -ENOMEM;
    if (mapping) {
        mapping->bytes = bytes;
        mapping->offset = offset;
        mapping->file = result;
        mapping->writable = (protection & PROT_WRITE) != 0;
        error = added(mapping);
    }
    if (error < 0) {
        close_portals(result);
        free(mapping);
        errno = -error;
        return NULL;
    }
    return mapping->start;
}
int __pebble_unmap_file(void *start, size_t bytes)
{
    struct mapping *found = NULL;
    word result = 0;
    pthread_mutex_lock(&lock);
    for (struct mapping **at = &mappings; *at; at = &(*at)->next) {
        if ((*at)->start != start || (*at)->bytes != bytes)
            continue;
        for (size_t page = 0; page * PAGE < bytes && result == 0; page++)
            if ((*at)->pages[page] != ABSENT && (result = page_unmap(get_asid(), (*at)->start + page * PAGE)) == 0)
                (*at)->pages[page] = ABSENT;
        if (result < 0)
            break;
        found = *at;
        *at = found->next;
        hand = hand == found ? NULL : hand;
        break;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return result;
    close_portals(found->file);
    free(found);
    return 1;
}
