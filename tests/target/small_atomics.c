// expect stdout right
/* Atomic operations on 8 and 16 bits link, do what they say, and leave what lies beside them alone. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
    atomic_uchar before, middle;
    _Atomic short after;
} all = {1, 2, 3};
static atomic_bool flag;

static void *counts(void *unused)
{
    for (int n = 0; n < 10000; n++) {
        atomic_fetch_add(&all.middle, 1);
        atomic_fetch_sub(&all.after, 1);
    }
    return unused;
}
int main(void)
{
    bool wanted = false;
    if (!atomic_compare_exchange_strong(&flag, &wanted, true) || atomic_compare_exchange_strong(&flag, &wanted, false) || !wanted)
        return 1;
    pthread_t threads[4];
    int made = 0;
    /* A fault domain has one thread. */
    while (made < 4 && pthread_create(&threads[made], NULL, counts, NULL) == 0)
        made++;
    for (int n = made; n < 4; n++)
        counts(NULL);
    for (int n = 0; n < made; n++)
        pthread_join(threads[n], NULL);
    if (all.before != 1 || all.middle != (unsigned char)(2 + 40000) || all.after != (short)(3 - 40000))
        return 2;
    if (atomic_exchange(&all.before, 200) != 1 || atomic_fetch_or(&all.before, 7) != 200 || atomic_fetch_and(&all.before, 15) != 207 || atomic_fetch_xor(&all.before, 1) != 15)
        return 3;
    puts(all.before == 14 ? "right" : "wrong");
    return 0;
}
