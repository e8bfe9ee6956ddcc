// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
/* Answers of handlers that are under way: each thread faults, the handler faults in its turn, and so on, and the last one never
   answers. */
#include "include/exhaust.h"

/* As many as one thread may have under way, and threads of a domain. */
enum { NESTED = 4, THREADS = 16 };
static _Alignas(4096) volatile char pages[NESTED][4096];
static int begun;

#define HANDLER(n, next)                                             \
    static word handler_##n(word asid, word cause, word address, word pc) \
    {                                                                \
        (void)asid, (void)cause, (void)address, (void)pc;            \
        next;                                                        \
        return -EFAULT;                                              \
    }
HANDLER(3, sem_post(begun); hrsleep(~0ull >> 2))
HANDLER(2, pages[3][0] = 1)
HANDLER(1, pages[2][0] = 1)
HANDLER(0, pages[1][0] = 1)

static void faults(void *unused)
{
    (void)unused;
    pages[0][0] = 1;
}
static int take(int count)
{
    static word (*const handlers[NESTED])(word, word, word, word) = { handler_0, handler_1, handler_2, handler_3 };
    if (count == 0) {
        begun = sem_create(0);
        for (int n = 0; n < NESTED; n++) {
            page_unmap(get_asid(), (void *)pages[n]);
            if (pager_register(get_asid(), (void *)pages[n], 4096, handlers[n]) < 0)
                return 0;
        }
    }
    if (count >= THREADS || thread_create(faults, NULL, -1) < 0)
        return 0;
    return sem_timedwait(begun, 2000000000ull) == 0;
}
int main(void)
{
    return exhaust("answers", THREADS);
}
