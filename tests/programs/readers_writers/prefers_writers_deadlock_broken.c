// A lock that prefers writers: a reader that reads again waits for a writer that waits for it.
// expect: no-deadlock false
// explore: unknown
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;

static void *write_it(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_rwlockattr_t attributes;
    pthread_t thread;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, write_it, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
