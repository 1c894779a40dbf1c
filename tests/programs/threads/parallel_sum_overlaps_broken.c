// As parallel_sum, but the second part begins one element early.
// expect: unreach-call false
// expect: no-data-race true
// expect: no-deadlock true
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#define N 40
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
        s[i].from = i * (N / T) - (i == 1); s[i].to = (i + 1) * (N / T); s[i].index = i;
        if (pthread_create(&t[i], NULL, work, &s[i])) return 1;
    }
    long total = 0;
    for (int i = 0; i < T; i++) { pthread_join(t[i], NULL); total += partial[i]; }
    assert(total == (long)N * (N - 1) / 2);
    return 0;
}
