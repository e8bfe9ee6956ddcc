// expect stdout all right
/* A file in memory: its pages are there when they are touched, what is written to them is the program's alone, and the mapping goes on
   without the descriptor, the name, and in a copy of the domain. */
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 40
#define TAIL  100
#define BYTES (PAGES * PAGE + TAIL)

static unsigned char byte_at(long n)
{
    return n * 7 + n / PAGE;
}
static int filled(const char *name, long bytes)
{
    static unsigned char page[PAGE];
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (long at = 0; file >= 0 && at < bytes; at += PAGE) {
        long count = bytes - at < PAGE ? bytes - at : PAGE;
        for (long n = 0; n < count; n++)
            page[n] = byte_at(at + n);
        if (write(file, page, count) != count)
            return -1;
    }
    return file;
}
static int refused(void *mapping, int error)
{
    return mapping == MAP_FAILED && errno == error;
}
static int errors(int file)
{
    int pipes[2], written = open("written", O_WRONLY | O_CREAT, 0644), directory = open("/", O_RDONLY | O_DIRECTORY);
    if (pipe(pipes) < 0 || written < 0 || directory < 0)
        return 1;
    if (!refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, pipes[0], 0), ENODEV) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 1, 0), ENODEV) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, directory, 0), ENODEV) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 499, 0), EBADF) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, written, 0), EACCES))
        return 2;
    if (!refused(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, file, 0), EINVAL) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 100), EINVAL) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, -PAGE), EINVAL) ||
        !refused(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0), ENOTSUP) ||
        !refused(mmap(NULL, PAGE, PROT_EXEC, MAP_PRIVATE, file, 0), ENOTSUP) ||
        !refused(mmap(NULL, 1ul << 40, PROT_READ, MAP_PRIVATE, file, 0), ENOMEM))
        return 3;
    close(pipes[0]), close(pipes[1]), close(written), close(directory);
    return 0;
}
static int right(const unsigned char *mapping, long from, long bytes)
{
    for (long n = 0; n < bytes; n++)
        if (mapping[n] != byte_at(from + n))
            return 0;
    return 1;
}
static void *reads(void *mapping)
{
    return (void *)(long)right(mapping, 0, BYTES);
}
static int threads(int file)
{
    pthread_t all[4];
    void *mapping = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, file, 0);
    int good = 0;
    for (int n = 0; n < 4; n++)
        pthread_create(&all[n], NULL, reads, mapping);
    for (int n = 0; n < 4; n++) {
        void *result = NULL;
        pthread_join(all[n], &result);
        good += (long)result;
    }
    return good == 4 && munmap(mapping, BYTES) == 0 ? 0 : 1;
}
/* The status of a copy of this domain that reads, or writes, one byte. */
static int touched(volatile unsigned char *byte, int write, unsigned char expected)
{
    int status = 0, child = domain_fork(NULL);
    if (child == 0) {
        if (write)
            *byte = 1;
        exit(*byte == expected ? 7 : 8);
    }
    return child < 0 || domain_wait(child, &status) < 0 ? -1 : status;
}
static int copies(int file)
{
    unsigned char *mapping = mmap(NULL, BYTES + 2 * PAGE, PROT_READ, MAP_PRIVATE, file, 0);
    unsigned char first = mapping[0];
    if (first != byte_at(0) || touched(mapping, 0, first) != 7 || touched(mapping + 5 * PAGE, 0, byte_at(5 * PAGE)) != 7)
        return 1;
    /* Behind the end of the file, and where nothing may be written, the copy ends. */
    if (touched(mapping + BYTES + PAGE, 0, 0) >= 0 || touched(mapping, 1, 1) >= 0)
        return 2;
    return mapping[6 * PAGE] == byte_at(6 * PAGE) && munmap(mapping, BYTES + 2 * PAGE) == 0 ? 0 : 3;
}
int main(void)
{
    int file = filled("data", BYTES), other = open("other", O_RDWR | O_CREAT, 0644), wrong;
    if (file < 0 || other < 0 || lseek(file, 11, SEEK_SET) != 11)
        return 1;
    if ((wrong = errors(file)) || (wrong = threads(file)) || (wrong = copies(file)))
        return printf("%d: %s\n", wrong, strerror(errno)), 2;
    unsigned char *mapping = mmap(NULL, BYTES - PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, PAGE);
    unsigned char *second = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping == MAP_FAILED || second == MAP_FAILED || mapping == second || lseek(file, 0, SEEK_CUR) != 11)
        return 3;
    /* A page that nobody has touched is lent to a server, to read and to write. */
    char back[PAGE];
    if (write(other, mapping + 3 * PAGE, PAGE) != PAGE || lseek(other, 0, SEEK_SET) != 0 || read(other, back, PAGE) != PAGE ||
        !right((unsigned char *)back, 4 * PAGE, PAGE) || lseek(other, 0, SEEK_SET) != 0 || read(other, mapping + 4 * PAGE, 10) != 10 ||
        !right(mapping + 4 * PAGE, 4 * PAGE, 10) || !right(mapping + 4 * PAGE + 10, 5 * PAGE + 10, PAGE - 10))
        return 4;
    mapping[0] = byte_at(PAGE) + 1;
    if (pread(file, back, 1, PAGE) != 1 || (unsigned char)back[0] != byte_at(PAGE) || !right(mapping + 1, PAGE + 1, PAGE - 1))
        return 5;
    if (close(file) < 0 || remove("data") < 0 || !right(mapping + 5 * PAGE, 6 * PAGE, BYTES - 6 * PAGE) || mapping[BYTES - PAGE])
        return 6;
    if (!right(second, 0, PAGE) || munmap(mapping, PAGE) != -1 || errno != EINVAL || munmap(mapping, BYTES - PAGE) < 0 ||
        munmap(mapping, BYTES - PAGE) != -1 || munmap(second, PAGE) < 0)
        return 7;
    printf("all right\n");
    return 0;
}
