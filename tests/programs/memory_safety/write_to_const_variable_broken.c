/* The variable is constant, although the pointer that a function gets is not. */
// expect: valid-memsafety false
// expect: undefined-behaviour false
static void set(int *place) { *place = 2; }

int main(void) {
    const int limit = 1;
    const char name[] = "abc";
    set((int *)&limit);
    return limit + name[0];
}
