// Computes for ever, on many threads, of which some make others and end.
#include <pthread.h>
#include <pebble.h>

static void *computes(void *argument) {
    for (volatile unsigned long n = 0;; n++)
        ;
    return argument;
}
static void *comes_and_goes(void *argument) {
    for (volatile unsigned long n = 0; n < 100000; n++)
        ;
    pthread_t next;
    while (pthread_create(&next, NULL, comes_and_goes, argument) != 0)
        ;
    pthread_detach(next);
    return NULL;
}
int main(void) {
    pthread_t thread;
    for (int n = 0; n < 20; n++)
        pthread_create(&thread, NULL, n % 4 == 0 ? comes_and_goes : computes, NULL);
    computes(NULL);
}
