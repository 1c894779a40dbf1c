// Ten turns are known to be ten turns.
//
// expect: unreach-call true

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int condition) {
    if (!condition)
        reach_error();
}

int main(void) {
    int i, sum = 0;
    for (i = 0; i < 10; i++)
        sum += i;
    check(sum == 45);
    return 0;
}
