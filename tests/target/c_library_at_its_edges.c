// expect stdout a name: Success
// expect stdout 0x0.0000000000000000000000000001p-16382 0x0.8p-16382 0x1p-16382
// expect stdout no such folder: 1, and the first file there: 1
// expect stdout a time that never comes: 1
/* What the C library says at the ends of what it takes. */
#include <pebble.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *signals(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    errno = 0;
    printf("%1$s: %m\n", "a name");
    printf("%La %La %La\n", __LDBL_DENORM_MIN__, LDBL_MIN / 2, LDBL_MIN);
    int first = open("/tmp/file", O_CREAT | O_WRONLY, 0644);
    int nowhere = open("/tmp/folder/file", O_CREAT | O_WRONLY, 0644);
    printf("no such folder: %d, and the first file there: %d\n", nowhere < 0 && errno == ENOENT, first >= 0);
    struct timespec never = {LONG_MAX, 0};
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, signals, NULL);
    int waited = pthread_cond_timedwait(&condition, &mutex, &never);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("a time that never comes: %d\n", waited == 0);
    return 0;
}
