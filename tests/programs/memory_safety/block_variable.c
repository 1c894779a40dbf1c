// A variable is used through a pointer while its block is running, also by a function.
// expect: valid-memsafety true
// expect: undefined-behaviour true
int *kept;

void keep(int *p)
{
    kept = p;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        keep(&x);
        sum += *kept;
    }
    return sum;
}
