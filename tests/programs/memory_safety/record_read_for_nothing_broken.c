// A record is read, though nothing is done with it, where no record is.
// expect: valid-memsafety false
// expect: undefined-behaviour false
struct inner {
    int a, b[3];
};
struct outer {
    struct inner member;
} *nowhere;

int main(void)
{
    (void)nowhere->member;
    return 0;
}
