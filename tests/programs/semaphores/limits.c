// What semaphores do at their limits: an initial value that is too great, overflow, trywait and timedwait of 0.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <time.h>

int main(void)
{
    sem_t s;
    int value = -1;
    struct timespec now = {0, 0};
    assert(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
    assert(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
    errno = 0;
    assert(sem_post(&s) == -1 && errno == EOVERFLOW);
    assert(sem_wait(&s) == 0);
    assert(sem_post(&s) == 0);
    assert(sem_getvalue(&s, &value) == 0 && value == SEM_VALUE_MAX);
    assert(sem_destroy(&s) == 0);
    assert(sem_init(&s, 0, 0) == 0);
    assert(sem_trywait(&s) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&s, &now) == -1 && errno == ETIMEDOUT);
    assert(sem_post(&s) == 0 && sem_timedwait(&s, &now) == 0);
    return 0;
}
