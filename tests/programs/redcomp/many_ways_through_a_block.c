// One critical section with 24 branches: 16 million ways through one reducible block, which are not looked at one by one.
//
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int()) { x += 1; x -= 1; }
    if (__VERIFIER_nondet_int()) { x += 2; x -= 2; }
    if (__VERIFIER_nondet_int()) { x += 3; x -= 3; }
    if (__VERIFIER_nondet_int()) { x += 4; x -= 4; }
    if (__VERIFIER_nondet_int()) { x += 5; x -= 5; }
    if (__VERIFIER_nondet_int()) { x += 6; x -= 6; }
    if (__VERIFIER_nondet_int()) { x += 7; x -= 7; }
    if (__VERIFIER_nondet_int()) { x += 8; x -= 8; }
    if (__VERIFIER_nondet_int()) { x += 9; x -= 9; }
    if (__VERIFIER_nondet_int()) { x += 10; x -= 10; }
    if (__VERIFIER_nondet_int()) { x += 11; x -= 11; }
    if (__VERIFIER_nondet_int()) { x += 12; x -= 12; }
    if (__VERIFIER_nondet_int()) { x += 13; x -= 13; }
    if (__VERIFIER_nondet_int()) { x += 14; x -= 14; }
    if (__VERIFIER_nondet_int()) { x += 15; x -= 15; }
    if (__VERIFIER_nondet_int()) { x += 16; x -= 16; }
    if (__VERIFIER_nondet_int()) { x += 17; x -= 17; }
    if (__VERIFIER_nondet_int()) { x += 18; x -= 18; }
    if (__VERIFIER_nondet_int()) { x += 19; x -= 19; }
    if (__VERIFIER_nondet_int()) { x += 20; x -= 20; }
    if (__VERIFIER_nondet_int()) { x += 21; x -= 21; }
    if (__VERIFIER_nondet_int()) { x += 22; x -= 22; }
    if (__VERIFIER_nondet_int()) { x += 23; x -= 23; }
    if (__VERIFIER_nondet_int()) { x += 24; x -= 24; }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t id;
    for (int i = 0; i < 2; i++)
        pthread_create(&id, 0, worker, 0);
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    return 0;
}
