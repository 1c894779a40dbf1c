/* The function returns `long`, the pointer is to functions that return `int`: the call is undefined, although the machine does what was meant. */
// expect: undefined-behaviour false
// expect: valid-memsafety true
static long one(void) { return 1; }

static int call(int (*function)(void)) { return function(); }

int main(void) { return call((int (*)(void))one) - 1; }
