// From both sides towards zero: each side has its own rank.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x != 0) {
        if (x > 0)
            x--;
        else
            x++;
    }
    return 0;
}
