extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0, same = 0;
    while (i < n) {
        i++;
        same++;
    }
    if (n >= 0 && i != same)
        reach_error();
    return 0;
}
