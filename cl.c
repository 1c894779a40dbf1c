#include <pthread.h>
#include <signal.h>
#include <semaphore.h>
void h(void*p){}
int g;
void *t(void*a){ pthread_cleanup_push(h,a); g=1; pthread_testcancel(); pthread_cleanup_pop(1); return a;}
