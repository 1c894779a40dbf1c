// Workers wait for a flag that is set and taken back before all of them may have seen it.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
_Bool go;

void *worker(void *arg)
{
    while (!go)
        ;
    return 0;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    go = 1;
    go = 0;
    pthread_exit(0);
}
