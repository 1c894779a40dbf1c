// A wrapper hands its arguments on as a list: what `%s` prints is read without the lock under which it is written.
// expect: no-data-race false
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[4] = "ab";

static void print(char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, 16, format, arguments);
    va_end(arguments);
}

static void *rename_it(void *unused) {
    pthread_mutex_lock(&lock);
    name[1] = 'c';
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    char own[16];
    pthread_t thread;
    pthread_create(&thread, 0, rename_it, 0);
    print(own, "%d %s", 1, name);
    pthread_join(thread, 0);
    return own[0] == 'b';
}
