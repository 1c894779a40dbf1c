// `setjmp` and `longjmp`: out of recursion, nested, back into a loop or a switch, by a buffer inside a local object, through a pointer.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static int code;

static void deep(int n) {
    if (n == 0)
        longjmp(outer, code);
    deep(n - 1);
}

static int catch(int with) {
    volatile int state = 1;
    int caught = setjmp(outer);
    if (caught == 0) {
        state = 2;
        code = with;
        deep(3);
        assert(0);
    }
    assert(state == 2);
    return caught;
}

static int nested(void) {
    volatile int trail = 0;
    if (!setjmp(outer)) {
        if (!setjmp(inner)) {
            trail = 1;
            longjmp(inner, 1);
        }
        trail += 10;
        longjmp(outer, 5);
    } else
        trail += 100;
    return trail;
}

static int switched(void) {
    volatile int n = 0;
    switch (setjmp(outer)) {
    case 0: n++; longjmp(outer, 1);
    case 1: n += 10; longjmp(outer, 2);
    case 2: n += 100; break;
    default: assert(0);
    }
    return n;
}

struct context {
    jmp_buf back;
    int code;
};

static void give_up(struct context *context, int why) {
    context->code = why;
    longjmp(context->back, 1);
}

static int by_pointer(void (*how)(struct context *, int)) {
    struct context context;
    if (setjmp(context.back))
        return context.code;
    how(&context, 42);
    return 0;
}

static int recursive(int n) {
    // Each activation has a buffer of its own: only the outermost one is jumped to.
    static struct context *first;
    struct context mine;
    if (n == 3)
        first = &mine;
    if (setjmp(mine.back))
        return n;
    if (n == 0)
        longjmp(first->back, 7);
    return recursive(n - 1) + 100;
}

static int compare(const void *a, const void *b) {
    (void)a, (void)b;
    longjmp(inner, 3);
}

int main(void) {
    assert(catch(7) == 7 && catch(0) == 1);
    assert(nested() == 111 && switched() == 111);
    assert(by_pointer(give_up) == 42 && recursive(3) == 3);
    static int c;
    while (setjmp(outer) != 2)
        longjmp(outer, ++c);
    assert(c == 2);
    int array[2] = {2, 1};
    int caught = setjmp(inner);
    if (caught == 0) {
        qsort(array, 2, sizeof *array, compare);
        assert(0);
    }
    assert(caught == 3);
    sigjmp_buf masked;
    if (!sigsetjmp(masked, 1)) {
        c = 9;
        siglongjmp(masked, 9);
    }
    assert(c == 9);
    return 0;
}
