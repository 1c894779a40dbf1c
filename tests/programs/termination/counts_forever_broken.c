// No state repeats in less than 2^32 rounds, but nothing ends the loop.
// expect: termination false
// explore: unknown

int main(void)
{
    unsigned i = 0;
    while (1)
        i++;
    return 0;
}
