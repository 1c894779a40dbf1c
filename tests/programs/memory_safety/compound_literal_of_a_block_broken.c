// A compound literal lives as long as the block around it (C11 6.5.2.5p5).
// expect: valid-memsafety false
struct pair {
    int a, b;
};

int main(void)
{
    struct pair *p;
    {
        p = &(struct pair){ 3, 4 };
    }
    return p->a;
}
