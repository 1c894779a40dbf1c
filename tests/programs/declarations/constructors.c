// Constructors run before main, by ascending priority, those without one last; destructors run after main, in reverse. Nothing calls them.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

static int order[8], n;

static void note(int who) { order[n++] = who; }

__attribute__((constructor)) static void last(void) { note(3); }
__attribute__((constructor(300))) static void second(void) { note(2); }
__attribute__((constructor(200))) static void first(void) { note(1); }
void late(void) __attribute__((constructor));
void late(void) { note(4); }

static void at_exit(void) {
    assert(n == 5);
    note(6);
}

__attribute__((destructor(200))) static void destroy_last(void) {
    assert(n == 8);
}
__attribute__((destructor(300))) static void destroy_second(void) {
    assert(n == 7);
    note(8);
}
__attribute__((destructor)) static void destroy_first(void) {
    assert(n == 6);
    note(7);
}

int main(void) {
    for (int i = 0; i < 4; i++) assert(order[i] == i + 1);
    atexit(at_exit);
    note(5);
    return 0;
}
