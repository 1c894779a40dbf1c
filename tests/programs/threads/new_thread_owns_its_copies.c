// A new thread gets its copies of thread-local variables and of its own address-taken locals from the step that creates it. Nobody
// else knows them before, so that creating them is no conflict with the new thread's use of them.
// (Two random programs, made smaller: a right proof was refused, because such a run was taken for more than one step.)
// Safe: both are private, and the section only moves a pointer.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

_Thread_local int own;
int shared;

void *work(void *arg)
{
    int local = 0;
    int *where = arg;
    __VERIFIER_atomic_begin();
    where = &local;
    __VERIFIER_atomic_end();
    assert(own == *where);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, &shared);
    return 0;
}
