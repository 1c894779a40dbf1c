// Assumptions, assertions and atomic sections under the names that CBMC, ESBMC and Goblint give them.
// expect: unreach-call true
// explore: unknown
extern void __CPROVER_assume(_Bool);
extern void __CPROVER_assert(_Bool, const char *);
extern void __goblint_check(int);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __CPROVER_assume(x > 3);
    __CPROVER_assert(x > 2, "assumed");
    __CPROVER_atomic_begin();
    x = x - 1;
    __CPROVER_atomic_end();
    __ESBMC_assume(x < 5);
    __ESBMC_assert(x < 6, "assumed");
    __goblint_check(x == 3 || x == 4);
    __goblint_assume(x == 3);
    __goblint_assert(x == 3);
    return 0;
}
