#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data, taken;

void *producer(void *arg) {
    data = 1;
    pthread_mutex_lock(&lock);
    taken = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    taken = 1;
    pthread_mutex_unlock(&lock);
    data = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
