// A byte is always less than 300.
// expect: termination false

int main(void)
{
    for (unsigned char c = 0; c < 300; c++)
        ;
    return 0;
}
