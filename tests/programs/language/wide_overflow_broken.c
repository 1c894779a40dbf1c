// Integers of 128 bits overflow, too.
// expect: no-overflow false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    __int128 big = (__int128)1 << 126;
    __int128 fits = big + (big - 1);
    if (__VERIFIER_nondet_bool())
        fits = big + big;
    return fits == 0;
}
