// A check in Goblint's words that fails for one value.
// expect: unreach-call false
int main(void) {
    __CPROVER_bool b = __VERIFIER_nondet_bool();
    __goblint_check(b);
    return 0;
}
