// Any number of jobs, each handed to a thread that frees it; but the first thread still looks into the job that it has given away.
// expect: valid-memsafety false
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct job {
    int first, second;
    struct job *part;
};

int limit = 10;

static void *work(void *arg) {
    struct job *job = arg;
    int sum = job->first < limit ? job->first : job->second;
    if (job->part) {
        sum = job->part->first;
        free(job->part);
    }
    free(job);
    return (void *)(long)(sum == 3);
}

static int limit_of(struct job *job) { return job->first; }

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        struct job *job = malloc(sizeof *job);
        job->first = i;
        job->second = 1;
        job->part = 0;
        if (i % 2) {
            job->part = malloc(sizeof *job->part);
            job->part->first = 7;
        }
        pthread_t thread;
        pthread_create(&thread, 0, work, job);
        limit_of(job);
        pthread_detach(thread);
    }
    pthread_exit(0);
}
