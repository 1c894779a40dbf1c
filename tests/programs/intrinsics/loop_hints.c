// Hints about loops that Dartagnan and GenMC take: they mean nothing here.
// expect: unreach-call true
extern void __VERIFIER_loop_bound(int);
extern void __VERIFIER_loop_begin(void);
extern void __VERIFIER_spin_start(void);
extern void __VERIFIER_spin_end(_Bool);
extern void __VERIFIER_assert(int);

int main(void) {
    int n = 0;
    __VERIFIER_loop_bound(5);
    for (__VERIFIER_loop_begin(); n < 4; __VERIFIER_spin_end(0)) {
        __VERIFIER_spin_start();
        n++;
    }
    __VERIFIER_assert(n == 4);
    return 0;
}
