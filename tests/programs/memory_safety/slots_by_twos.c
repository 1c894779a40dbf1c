// Any number of threads take pairs of slots: indices are odd, so the last pair still fits. The proof needs the parity of `next`.
// expect: valid-deref true
// explore: unknown
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int next = 1, top;
int slots[65];

static int take(void)
{
    int taken = 0;
    pthread_mutex_lock(&mutex);
    if (next + 1 <= 65) {
        taken = next;
        next += 2;
    }
    pthread_mutex_unlock(&mutex);
    return taken;
}

void *push(void *arg)
{
    for (;;) {
        int taken = take();
        if (taken != 0) {
            slots[taken] = __VERIFIER_nondet_int();
            pthread_mutex_lock(&mutex);
            slots[taken + 1] = top;
            top = taken;
            pthread_mutex_unlock(&mutex);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, push, 0);
}
