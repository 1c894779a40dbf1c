// What main allocates, only the other thread uses. (Once, RedComp thought that a pointer cannot mean an object that only one thread
// accesses, if another one has allocated it, and called this correct.)
// expect: unreach-call false

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

int g;
int *p;

void *user(void *arg)
{
    *p = 1;
    if (p != &g) assert(0);
    return 0;
}

int main(void)
{
    pthread_t id;
    p = &g;
    if (__VERIFIER_nondet_bool()) p = malloc(4);
    pthread_create(&id, 0, user, 0);
    pthread_join(id, 0);
    return 0;
}
