// Names for the linker: aliases share memory and code, asm labels name the symbol, weak definitions are used if there are no others.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stddef.h>

int object = 1;
extern int same __attribute__((alias("object")));
static int hidden = 3;
extern int exported __attribute__((alias("hidden")));

int labelled __asm__("the_symbol") = 5;
extern int by_symbol __asm__("the_symbol");

static int twice(int x) { return 2 * x; }
int doubled(int x) __attribute__((alias("twice")));
int weakly(int x) __attribute__((weak, alias("twice")));

int named(int x) __asm__("another_name");
int named(int x) { return x + 7; }
extern int by_name(int x) __asm__("another_name");

__attribute__((weak)) int fallback(void) { return 11; }
extern int nowhere(void) __attribute__((weak));
extern int no_object __attribute__((weak));
static int reference(void) __attribute__((weakref("also_nowhere")));
static int indirect(int x) __attribute__((weakref("doubled")));

#pragma weak pragmatic
extern int pragmatic(void);
static int target(void) { return 13; }
extern int pragma_alias(void);
#pragma weak pragma_alias = target

int main(void) {
    same = 2;
    assert(object == 2 && &same == &object);
    exported++;
    assert(hidden == 4);
    by_symbol = 6;
    assert(labelled == 6);
    assert(doubled(4) == 8 && weakly(5) == 10 && doubled == twice);
    assert(by_name(1) == 8);
    assert(fallback() == 11);
    assert(nowhere == NULL && &no_object == NULL && reference == NULL && pragmatic == NULL);
    assert(indirect(3) == 6);
    assert(pragma_alias() == 13);
    return 0;
}
