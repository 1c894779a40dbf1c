// Decisions depend on bit-fields that were set, in a structure of which other bits never were, and after it was copied.
//
// expect: undefined-behaviour true
struct flags {
    unsigned kind : 3, is_open : 1, level : 12;
};

int main(void) {
    struct flags flags, copy;
    flags.kind = 5;
    flags.level = 77;
    copy = flags;
    copy.level--;
    if (copy.kind != 5 || copy.level != 76)
        return 1;
    return 0;
}
