// The creator of a thread sets the copies of its variables; nobody else knows them yet, so the thread's own step is one.
// (Once, the check of UFO's proofs called it more than one.)
// expect: unreach-call true

#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
int *p = &x;
pthread_t id0[2];
pthread_t id1[2];

void *thread0(void *arg) {
    return 0;
}

void *thread1(void *arg) {
    int u = 0;
    int *q = arg;
    q = &u;
    *q = x;
    return 0;
}

int main(void) {
    pthread_create(&id0[0], 0, thread0, p);
    pthread_create(&id1[0], 0, thread1, &x);
    return 0;
}
