// Ten thousand threads, created in a loop, keep two counters equal under a lock. The proof does not depend on how many there are.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned left, right;

static void *both(void *unused) {
    pthread_mutex_lock(&lock);
    left++;
    right++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *same(void *unused) {
    pthread_mutex_lock(&lock);
    assert(left == right);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, 0, both, 0);
    pthread_create(&thread, 0, same, 0);
    return 0;
}
