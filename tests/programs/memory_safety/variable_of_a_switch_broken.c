// The block of a `switch` is entered by a case; its variable ceases to live with it.
// expect: valid-memsafety false
int main(void)
{
    int *p = 0;
    switch (1) {
        int x;
    case 0:
        break;
    case 1:
        x = 3;
        p = &x;
        break;
    }
    return *p;
}
