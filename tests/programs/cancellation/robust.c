// A cancelled thread leaves a robust mutex to the next one.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int changing;

static void *writer(void *unused)
{
    pthread_mutex_lock(&mutex);
    changing = 1;
    pthread_testcancel();
    changing = 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_cancel(thread);
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) {
        assert(changing == 1);
        changing = 0;
        pthread_mutex_consistent(&mutex);
    }
    assert(changing == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
