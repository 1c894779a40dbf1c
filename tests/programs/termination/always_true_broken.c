// An unsigned number is never negative.
// expect: termination false
// explore: unknown

int main(void)
{
    for (unsigned i = 10; i >= 0; i--)
        ;
    return 0;
}
