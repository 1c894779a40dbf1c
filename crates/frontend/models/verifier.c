/* Functions that verifiers define and that can be said in C: see src/sema/intrinsics.rs for the others. */

extern char __VERIFIER_nondet_char(void);

void __VERIFIER_nondet_memory(void *memory, __typeof__(sizeof(0)) size) {
    for (__typeof__(sizeof(0)) i = 0; i < size; i++) ((char *)memory)[i] = __VERIFIER_nondet_char();
}
