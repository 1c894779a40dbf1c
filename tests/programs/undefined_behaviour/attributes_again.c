// Attributes may be destroyed once something was made with them, and be initialised again.
// expect: undefined-behaviour true
#include <pthread.h>

static int sum;
static pthread_mutex_t lock;

static void *add(void *p)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return p;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
    for (int i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_create(&thread, &attributes, add, 0);
        pthread_attr_destroy(&attributes);
        add(0);
        pthread_join(thread, 0);
    }
    pthread_mutex_destroy(&lock);
    return sum;
}
