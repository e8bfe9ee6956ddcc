// isolation sfi
// loads
// matching
// expect status 126
// expect stderr of its fault domain (0x2
// expect stdout sorted: 1 2 3 4 5 6 7 8 9
// expect stderr breakpoint
/* Loads and indirect jumps are matched as stores are: a program of pointers to functions works, and a jump to the host's code faults where it is made. */
#include <pebble.h>

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
    int numbers[9] = {9, 4, 1, 8, 2, 7, 3, 6, 5};
    qsort(numbers, 9, sizeof *numbers, by_value);
    printf("sorted:");
    for (int n = 0; n < 9; n++)
        printf(" %d", numbers[n]);
    puts("");
    fflush(stdout);
    ((void (*)(void))0x48020)();
    return 0;
}
