// An assert that nothing declares is the assertion, as in programs stripped of their headers.
// expect: unreach-call false
int main(void) {
    int x = 1;
    assert(x == 2);
    return 0;
}
