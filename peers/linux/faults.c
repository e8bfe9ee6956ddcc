/* Page faults: to a handler of the program and back, to a pager of the program that supplies the page, and into the kernel,
   which finds a page for memory that nobody has touched before. Pages are touched in an order without pattern, as programs
   do, so that the kernel can not always join a page to the region before it. */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define FAULTS 1000
#define PAGES 1000
#define PAGE 4096UL

static char *area;
static unsigned order[PAGES];

static void new_area(int protection)
{
    area = mmap(NULL, PAGES * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        fail("mmap");
    /* No huge pages, where the kernel has them; elsewhere this is an error without consequence. */
    madvise(area, PAGES * PAGE, MADV_NOHUGEPAGE);
}
static void free_area(void)
{
    CHECK(munmap(area, PAGES * PAGE), "munmap");
}
static void shuffle(void)
{
    for (unsigned place = 0; place < PAGES; place++)
        order[place] = place;
    for (unsigned place = PAGES - 1; place > 0; place--) {
        unsigned other = random() % (place + 1), page = order[place];
        order[place] = order[other];
        order[other] = page;
    }
}
/* Instructions that it takes to write to a page of the area, on average over all pages. */
static unsigned long touch_all(void)
{
    unsigned long start = ticks();
    for (unsigned place = 0; place < PAGES; place++)
        *(volatile char *)(area + order[place] * PAGE) = 1;
    return (ticks() - start) * INSTRUCTIONS_PER_TICK / PAGES;
}
static void handle_faults(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL), "sigaction");
}
/* One load in 4 bytes of code, so that a handler can skip it. */
static inline void load(const char *address)
{
    __asm__ volatile(".option push\n .option norvc\n lb zero, 0(%0)\n .option pop" : : "r"(address) : "memory");
}
static void skip(int signal, siginfo_t *information, void *context)
{
    (void)signal, (void)information;
    ((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC] += 4;
}
static unsigned long skipped_load(void)
{
    new_area(PROT_NONE);
    handle_faults(skip);
    unsigned long value = MEASURE(FAULTS, load(area));
    free_area();
    return value;
}
static unsigned long first_touch(void)
{
    unsigned long samples[RUNS];
    for (int run = 0; run < RUNS; run++) {
        new_area(PROT_READ | PROT_WRITE);
        samples[run] = touch_all();
        free_area();
    }
    return median(samples, RUNS);
}

/* A pager of the first kind: a handler of the signal, in the thread that faults. */
static void open_page(int signal, siginfo_t *information, void *context)
{
    (void)signal, (void)context;
    char *page = (char *)((unsigned long)information->si_addr & -PAGE);
    CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE), "mprotect");
}
static unsigned long signal_pager(void)
{
    unsigned long samples[RUNS];
    handle_faults(open_page);
    for (int run = 0; run < RUNS; run++) {
        new_area(PROT_NONE);
        samples[run] = touch_all();
        free_area();
    }
    return median(samples, RUNS);
}

/* A pager of the second kind: a thread that reads the faults of others from userfaultfd(2). */
static int faults = -1;

static void *supply_pages(void *argument)
{
    static char content[PAGE] __attribute__((aligned(4096)));
    struct uffd_msg message;
    while (read(faults, &message, sizeof message) == sizeof message) {
        unsigned long page = message.arg.pagefault.address & -PAGE;
        struct uffdio_copy answer = {.dst = page, .src = (unsigned long)content, .len = PAGE};
        CHECK(ioctl(faults, UFFDIO_COPY, &answer), "UFFDIO_COPY");
    }
    return argument;
}
/* The largest number where the kernel has no userfaultfd. */
static unsigned long thread_pager(void)
{
    unsigned long samples[RUNS];
    pthread_t thread;
    struct uffdio_api api = {.api = UFFD_API};
    faults = syscall(SYS_userfaultfd, O_CLOEXEC);
    if (faults < 0)
        return -1UL;
    CHECK(ioctl(faults, UFFDIO_API, &api), "UFFDIO_API");
    if ((errno = pthread_create(&thread, NULL, supply_pages, NULL)) != 0)
        fail("pthread_create");
    for (int run = 0; run < RUNS; run++) {
        new_area(PROT_READ | PROT_WRITE);
        struct uffdio_register watched = {
            .range = {.start = (unsigned long)area, .len = PAGES * PAGE},
            .mode = UFFDIO_REGISTER_MODE_MISSING,
        };
        CHECK(ioctl(faults, UFFDIO_REGISTER, &watched), "UFFDIO_REGISTER");
        samples[run] = touch_all();
        free_area();
    }
    return median(samples, RUNS);
}

void measure_faults(void)
{
    shuffle();
    ROW(skipped_load(), .table = "peers", .operation = "fault", .measure = "round-trip");
    /* The better of the two ways. */
    unsigned long by_signal = signal_pager(), by_thread = thread_pager();
    ROW(by_signal < by_thread ? by_signal : by_thread, .table = "peers", .operation = "fault-map", .measure = "round-trip");
}
void measure_first_touch(void)
{
    shuffle();
    ROW(first_touch(), .table = "peers", .operation = "first-touch", .measure = "round-trip");
}
