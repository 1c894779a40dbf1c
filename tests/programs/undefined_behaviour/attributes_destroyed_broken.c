// Attributes of a thread are used after they were destroyed.
// expect: undefined-behaviour false
#include <pthread.h>

static void *nothing(void *p)
{
    return p;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_destroy(&attributes);
    pthread_create(&thread, &attributes, nothing, 0);
    pthread_join(thread, 0);
    return 0;
}
