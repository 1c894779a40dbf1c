// A compound literal lives as long as the block around it (C11 6.5.2.5p5).
// expect: valid-memsafety true
// expect: undefined-behaviour true
struct pair {
    int a, b;
};

static int sum(const struct pair *p)
{
    return p->a + p->b;
}

int main(void)
{
    int all = 0;
    for (int i = 0; i < 3; i++) {
        struct pair *p = &(struct pair){ i, 4 };
        all += sum(p) + sum(&(struct pair){ 1, 2 });
    }
    return all;
}
