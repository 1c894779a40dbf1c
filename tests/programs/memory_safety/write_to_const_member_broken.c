// A constant member of a structure, which is not constant itself, is written to by a cast.
//
// expect: valid-memsafety false
// expect: undefined-behaviour false
struct account {
    const int number;
    int balance;
};

int main(void) {
    struct account account = {7, 0};
    account.balance = 1;
    *(int *)&account.number = 8;
    return account.balance - 1;
}
