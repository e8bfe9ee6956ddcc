// timeout 60
#define HOSTILE_MAY_END
#include "include/hostile.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Domains map a file, and their threads read its pages, write to them, lend pages that nobody has read yet to a server, which looks twice, have such pages filled by a
   read of the same file, unmap and map again, and copy their domain, while the file becomes shorter and longer and they are killed at any moment. What a page has is
   what the file has there, zeros, or what its own domain has written; and the file has nothing of what was written to a mapping. */
enum { PAGE = 4096, PAGES = 12, MAPPERS = 2, WORDS = PAGE / 8, OWN = 1 << 20 };
static int broken, begun;

/* Word `n` of page `page` in the file. */
static unsigned long in_file(int page, int n) { return 0x5eed000000ul + (unsigned long)page * WORDS + n; }
/* What a page of a mapping may have in word `n`: a word of the file, zero where that was too short, or a mark. */
static int is_right(unsigned long word, int page, int n) { return word == in_file(page, n) || word == 0 || word == (unsigned long)OWN + page; }
static int wrong(const volatile unsigned long *words, int page)
{
    for (int n = 0; n < WORDS; n += 37)
        if (!is_right(words[n], page, n))
            return n + 1;
    return 0;
}
/* In the server. */
static word looks(const volatile unsigned long *window, word page)
{
    int first = wrong(window, (int)page);
    yield();
    return first ? first : wrong(window, (int)page);
}
static char *volatile mapping;
static void uses(void *seed)
{
    unsigned n = (unsigned)(word)seed;
    int fd = open("mapped", O_RDONLY), server = portal_open("app.looks");
    static _Alignas(PAGE) char buffer[4][PAGE];
    for (;; n = n * 1103515245 + 12345) {
        int page = n >> 10 & 15, result = 0;
        char *at = mapping + page % PAGES * PAGE;
        page %= PAGES;
        switch (n >> 24 & 7) {
        case 0: result = wrong((unsigned long *)at, page); break;
        case 1: ((volatile unsigned long *)at)[(n >> 14) % WORDS] = (unsigned long)OWN + page; break;
        case 2:
        case 3: result = invoke_portal(server, at, (word)page) > 0; break;
        case 4: /* the page itself comes from the file, into the mapping of it */
            lseek(fd, (off_t)page * PAGE, SEEK_SET);
            read(fd, at, PAGE);
            break;
        case 5: /* and goes elsewhere */
            result = wrong(memcpy(buffer[n >> 16 & 3], at, PAGE), page) && 0;
            break;
        case 6: {
            char *again = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
            if (again != MAP_FAILED) {
                result = wrong((unsigned long *)(again + page * PAGE), page);
                munmap(again, PAGES * PAGE);
            }
            break;
        }
        case 7:
            if (n >> 20 & 1) {
                int child = domain_fork(0), status;
                if (child == 0)
                    _Exit(wrong((unsigned long *)at, page) ? 1 : 0);
                result = child > 0 && domain_wait(child, &status) == 0 && status == 1;
            }
        }
        if (result)
            sem_post(broken);
        sem_post(begun);
    }
}
static void mapper(word number)
{
    int fd = open("mapped", O_RDONLY);
    mapping = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        _Exit(1);
    thread_create(uses, (void *)(number * 7919), -1);
    uses((void *)(number * 104729));
}
static int fills(int fd)
{
    static unsigned long words[WORDS];
    lseek(fd, 0, SEEK_SET);
    for (int page = 0; page < PAGES; page++) {
        for (int n = 0; n < WORDS; n++)
            words[n] = in_file(page, n);
        if (write(fd, words, PAGE) != PAGE)
            return 0;
    }
    return 1;
}
static int attack(void)
{
    broken = sem_create(0), begun = sem_create(0);
    int fd = open("mapped", O_RDWR | O_CREAT, 0644), mappers[MAPPERS], status;
    wall(1, fd >= 0 && fills(fd));
    for (int round = 0; round < hostile_rounds(12); round++) {
        int ready = sem_create(0), server = domain_fork(0);
        if (server == 0) {
            portal_register("app.looks", "npri", looks, NULL, 3);
            sem_post(ready);
            thread_exit();
        }
        sem_wait(ready);
        sem_destroy(ready);
        for (int n = 0; n < MAPPERS; n++) {
            mappers[n] = domain_fork(0);
            if (mappers[n] == 0)
                mapper(round * MAPPERS + n + 1);
            wall(2, server > 0 && mappers[n] > 0);
        }
        for (int made = 0; made < 10 + round % 7; made++)
            if (sem_timedwait(begun, HOSTILE_TICKS) == -ETIMEDOUT)
                break; /* both have read behind the end */
        if (round % 3 == 1)
            wall(3, ftruncate(fd, (off_t)(round % PAGES) * PAGE + 100) == 0 && fills(fd));
        hrsleep(1009ull * (unsigned)(round * 31 % 97));
        if (round % 4 == 3)
            domain_kill(server);
        hrsleep(3001ull * (unsigned)(round * 37 % 89));
        for (int n = 0; n < MAPPERS; n++) {
            domain_kill(mappers[n]);
            wall(4, domain_wait(mappers[n], &status) == 0);
        }
        domain_kill(server);
        wall(5, domain_wait(server, &status) == 0);
        wall(6, sem_trywait(broken) == -EAGAIN);
        /* Nothing of what was written to a mapping is in the file. */
        static unsigned long words[WORDS];
        lseek(fd, 0, SEEK_SET);
        for (int page = 0; page < PAGES; page++) {
            wall(7, read(fd, words, PAGE) == PAGE);
            for (int n = 0; n < WORDS; n++)
                wall(8, words[n] == in_file(page, n));
        }
    }
    close(fd);
    unlink("mapped");
    return 0;
}
