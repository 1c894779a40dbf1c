// A byte becomes zero again.
// expect: termination true

int main(void)
{
    unsigned char c = 0;
    do
        c++;
    while (c != 0);
    return 0;
}
