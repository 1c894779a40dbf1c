// Any number of producers and consumers share a ring under a lock; both indices stay within it, for different reasons.
// expect: valid-deref true
// expect: no-data-race true
// explore: unknown
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ring[16], head, tail, count;

void *put(void *arg)
{
    for (;;) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&mutex);
        if (count < 16) {
            ring[head] = value;
            head = (head + 1) % 16;
            count++;
        }
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

void *get(void *arg)
{
    int sum = 0;
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (count > 0) {
            sum ^= ring[tail];
            if (++tail == 16)
                tail = 0;
            count--;
        }
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, put, 0);
        pthread_create(&thread, 0, get, 0);
    }
}
