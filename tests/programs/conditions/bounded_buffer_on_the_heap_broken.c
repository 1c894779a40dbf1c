// As bounded_buffer_on_the_heap, but a producer that finds no room looks only once.
// Safe with two threads, but for spurious wake-ups.
// expect: unreach-call false
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#define SIZE 2
struct buffer { int items[SIZE]; int head, tail, count; pthread_mutex_t lock; pthread_cond_t not_full, not_empty; };
static void put(struct buffer *b, int x) {
    pthread_mutex_lock(&b->lock);
    if (b->count == SIZE) pthread_cond_wait(&b->not_full, &b->lock);
    b->items[b->tail] = x; b->tail = (b->tail + 1) % SIZE; b->count++;
    pthread_cond_signal(&b->not_empty);
    pthread_mutex_unlock(&b->lock);
}
static int get(struct buffer *b) {
    pthread_mutex_lock(&b->lock);
    while (b->count == 0) pthread_cond_wait(&b->not_empty, &b->lock);
    int x = b->items[b->head]; b->head = (b->head + 1) % SIZE; b->count--;
    pthread_cond_signal(&b->not_full);
    pthread_mutex_unlock(&b->lock);
    return x;
}
static void *producer(void *a) { struct buffer *b = a; for (int i = 0; i < 4; i++) put(b, i); return 0; }
static void *consumer(void *a) { struct buffer *b = a; for (int i = 0; i < 4; i++) { int x = get(b); assert(x == i); } return 0; }
int main(void) {
    struct buffer *b = calloc(1, sizeof *b);
    if (!b) return 1;
    pthread_mutex_init(&b->lock, 0); pthread_cond_init(&b->not_full, 0); pthread_cond_init(&b->not_empty, 0);
    pthread_t p, c;
    pthread_create(&p, 0, producer, b); pthread_create(&c, 0, consumer, b);
    pthread_join(p, 0); pthread_join(c, 0);
    pthread_mutex_destroy(&b->lock); pthread_cond_destroy(&b->not_full); pthread_cond_destroy(&b->not_empty);
    free(b);
    return 0;
}
