// The attribute cleanup: a call at every exit of the scope, the last variable first, after the value of a return.
// native: yes
// expect: unreach-call true
#include <assert.h>

static int trace;

static void note(int *x) { trace = trace * 10 + *x; }

#define CLEANUP __attribute__((cleanup(note)))

static int returns(int early) {
    int a CLEANUP = 1;
    if (early) {
        CLEANUP int b = 2;
        return trace + b;
    }
    int c CLEANUP = 3;
    c = 4;
    return a + c;
}

static void jumps(int how) {
    for (int i = 0; i < 3; i++) {
        int x CLEANUP = i + 1;
        if (how == 0 && i == 1) continue;
        if (how == 1 && i == 1) break;
        if (how == 2 && i == 1) goto out;
        {
            int y CLEANUP = 9;
            if (how == 3) goto inner;
        }
    inner:;
    }
out:
    trace = trace * 10;
}

static void loop_variable(void) {
    for (int i CLEANUP = 5; i < 7; i++) {
    }
}

static int expression(void) {
    int v = ({ int t CLEANUP = 7; t + 1; });
    return v;
}

static void cases(int n) {
    switch (n) {
    case 1: {
        int x CLEANUP = 1;
        break;
    }
    case 2: {
        int x CLEANUP = 2;
    }
    default: {
        int z CLEANUP = 3;
        return;
    }
    }
    trace = trace * 10 + 8;
}

static void backwards(void) {
    int n = 0;
again: {
    int x CLEANUP = ++n;
    if (n < 3) goto again;
}
}

int main(void) {
    trace = 0; assert(returns(1) == 2); assert(trace == 21);
    trace = 0; assert(returns(0) == 5); assert(trace == 41);
    trace = 0; jumps(0); assert(trace == 912930);
    trace = 0; jumps(1); assert(trace == 9120);
    trace = 0; jumps(2); assert(trace == 9120);
    trace = 0; jumps(3); assert(trace == 9192930);
    trace = 0; loop_variable(); assert(trace == 7);
    trace = 0; assert(expression() == 8); assert(trace == 7);
    trace = 0; cases(1); assert(trace == 18);
    trace = 0; cases(2); assert(trace == 23);
    trace = 0; cases(5); assert(trace == 3);
    trace = 0; backwards(); assert(trace == 123);
    return 0;
}
