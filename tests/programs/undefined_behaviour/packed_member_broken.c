/* A pointer to `int` gets the address of a member that is not aligned. */
// expect: undefined-behaviour false
struct __attribute__((packed)) record {
    char kind;
    int number;
};

int main(void) {
    struct record record = {1, 2};
    int *number = &record.number;
    return *number - 2;
}
