// A thread pool whose workers look at the flag that stops them without the lock.
//
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

struct job {
    void (*run)(void *);
    void *arg;
    struct job *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct job *jobs;
    int keep_going;
    int n_workers;
    pthread_t *workers;
};

static void *worker(void *arg)
{
    struct pool *pool = arg;
    while (pool->keep_going) {
        pthread_mutex_lock(&pool->lock);
        while (!pool->jobs && pool->keep_going) pthread_cond_wait(&pool->work, &pool->lock);
        struct job *job = pool->jobs;
        if (job) pool->jobs = job->next;
        pthread_mutex_unlock(&pool->lock);
        if (job) {
            job->run(job->arg);
            free(job);
        }
    }
    return 0;
}

struct pool *pool_create(int n_workers)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return 0;
    pthread_mutex_init(&pool->lock, 0);
    pthread_cond_init(&pool->work, 0);
    pool->keep_going = 1;
    pool->n_workers = n_workers;
    pool->workers = calloc(n_workers, sizeof *pool->workers);
    for (int i = 0; i < n_workers; i++) pthread_create(&pool->workers[i], 0, worker, pool);
    return pool;
}

int pool_add(struct pool *pool, void (*run)(void *), void *arg)
{
    struct job *job = malloc(sizeof *job);
    if (!job) return -1;
    job->run = run;
    job->arg = arg;
    pthread_mutex_lock(&pool->lock);
    job->next = pool->jobs;
    pool->jobs = job;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    return 0;
}

void pool_destroy(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->keep_going = 0;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->n_workers; i++) pthread_join(pool->workers[i], 0);
    free(pool->workers);
    free(pool);
}
