/* Pointers to functions are stored as another type, and converted back before they are used. */
// expect: undefined-behaviour true
// expect: valid-memsafety true
typedef void (*any)(void);

static int add(const int a, int b) { return a + b; }
static void nothing(void) {}

int main(void) {
    any table[2] = {(any)add, nothing};
    table[1]();
    return ((int (*)(int, int))table[0])(1, -1);
}
