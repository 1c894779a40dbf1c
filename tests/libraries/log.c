// State of the library itself, behind a lock; the text is the caller's.
//
// expect: no-data-race true
// options: --clients any --assume no-undefined-behaviour
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_lines;

void log_text(const char *text)
{
    pthread_mutex_lock(&lock);
    while (*text) n_lines += *text++ == 'a';
    pthread_mutex_unlock(&lock);
}

unsigned log_lines(void)
{
    pthread_mutex_lock(&lock);
    unsigned n = n_lines;
    pthread_mutex_unlock(&lock);
    return n;
}
