// The loop is never entered. (Once, RedComp made claims about places that nobody comes to, and the check refused them.)
// expect: unreach-call true

#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
int y;
int z;
int a[2];
unsigned char b;
struct pair { int f, g; };
struct pair ss[2];
int *p = &x;
pthread_t id0[2];
pthread_t id1[2];

void *thread0(void *arg) {
    __VERIFIER_assume(!a[y & 1]);
    return 0;
}

void *thread1(void *arg) {
    int u = 0;
    while (b < 0) {
        a[1] = __atomic_load_n(p, 5);
        u = __VERIFIER_nondet_bool();
    }
    return 0;
}

int main(void) {
    pthread_create(&id0[0], 0, thread0, &ss[x & 1].g);
    pthread_create(&id1[0], 0, thread1, &z);
    return 0;
}
