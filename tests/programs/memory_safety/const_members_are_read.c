// Constant members are initialised and read; what is written through a pointer that lost its `const` is another member.
//
// expect: valid-memsafety true
// expect: undefined-behaviour true
struct account {
    int balance;
    const int number;
};

static struct account account = {0, 7};

static void set(int *where, int value) { *where = value; }

int main(void) {
    struct account other = {1, account.number};
    int *number = (int *)&account.number;
    set(&account.balance, *number);
    set(&other.balance, other.number);
    return account.balance - other.balance;
}
