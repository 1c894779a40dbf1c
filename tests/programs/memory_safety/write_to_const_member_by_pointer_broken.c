// A pointer to a constant member loses its `const`, and another function writes through it.
//
// expect: valid-memsafety false
// expect: undefined-behaviour false
struct account {
    int balance;
    const int number;
};

static struct account account = {0, 7};

static void set(int *where, int value) { *where = value; }

int main(void) {
    set(&account.balance, 1);
    set((int *)&account.number, 8);
    return account.balance - 1;
}
