// Each thread adds up its part of an array and leaves the sum in a slot of its own; main adds the sums after the joins.
// Thousands of accesses to shared memory, none of which another thread can tell: threads matter only where they are created and joined.
// expect: unreach-call true
// expect: no-data-race true
// expect: no-deadlock true
// expect: valid-memsafety true
// expect: undefined-behaviour true
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#define N 400
#define T 4
static int data[N];
static long partial[T];
struct slice { int from, to, index; };
static void *work(void *arg) {
    struct slice *s = arg;
    long sum = 0;
    for (int i = s->from; i < s->to; i++) sum += data[i];
    partial[s->index] = sum;
    return NULL;
}
int main(void) {
    pthread_t t[T];
    struct slice s[T];
    for (int i = 0; i < N; i++) data[i] = i;
    for (int i = 0; i < T; i++) {
        s[i].from = i * (N / T); s[i].to = (i + 1) * (N / T); s[i].index = i;
        if (pthread_create(&t[i], NULL, work, &s[i])) return 1;
    }
    long total = 0;
    for (int i = 0; i < T; i++) { pthread_join(t[i], NULL); total += partial[i]; }
    assert(total == (long)N * (N - 1) / 2);
    return 0;
}
