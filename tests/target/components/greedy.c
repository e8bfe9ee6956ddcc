// Computes for ever, on four threads.
#include <pthread.h>

static void *computes(void *argument) {
    for (volatile unsigned long n = 0;; n++)
        ;
    return argument;
}
int main(void) {
    pthread_t thread;
    for (int n = 0; n < 3; n++)
        pthread_create(&thread, NULL, computes, NULL);
    computes(NULL);
}
