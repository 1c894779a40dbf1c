// A pointer to `int` is made from an odd address.
// expect: undefined-behaviour false
char buffer[8];
int offset = 1;

int main(void)
{
    int *p = (int *)(buffer + offset);
    return *p;
}
