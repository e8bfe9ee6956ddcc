// expect stdout malloc gave out
// expect stdout a smaller one works
// timeout 60
#include <pebble.h>
int main(void)
{
    char *last = 0, *next;
    int blocks = 0;
    while ((next = malloc(1 << 20)) != 0) {
        next[0] = 1;
        *(char **)next = last;
        last = next;
        blocks++;
    }
    if (errno != ENOMEM || blocks < 50)
        return 1;
    printf("malloc gave out\n");
    free(last);
    next = malloc(1000);
    printf("a smaller one %s\n", next ? "works" : "fails");
    int sem = sem_create(1);
    return sem_wait(sem) == 0 ? 0 : 2;
}
