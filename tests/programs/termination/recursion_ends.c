// Recursion with a constant depth.
// expect: termination true
static unsigned factorial(unsigned n)
{
    return n == 0 ? 1 : n * factorial(n - 1);
}

int main(void)
{
    return factorial(10) == 0;
}
