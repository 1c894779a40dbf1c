// Named semaphores: the same name is the same semaphore, until it is unlinked.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int message;

void *sender(void *arg)
{
    sem_t *s = sem_open("/threadproof-event", 0);
    assert(s != SEM_FAILED);
    message = 1;
    sem_post(s);
    sem_close(s);
    return 0;
}

int main(void)
{
    pthread_t a;
    sem_t *s = sem_open("/threadproof-event", O_CREAT | O_EXCL, 0600, 0);
    assert(s != SEM_FAILED);
    assert(sem_open("/threadproof-event", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
    assert(sem_open("/threadproof-other", 0) == SEM_FAILED && errno == ENOENT);
    pthread_create(&a, 0, sender, 0);
    assert(sem_wait(s) == 0);
    assert(message == 1);
    pthread_join(a, 0);
    assert(sem_unlink("/threadproof-event") == 0);
    assert(sem_unlink("/threadproof-event") == -1 && errno == ENOENT);
    assert(sem_close(s) == 0);
    return 0;
}
