// A decision depends on a bit-field that was never set; its neighbour was, and so part of its byte.
//
// expect: undefined-behaviour false
struct flags {
    unsigned kind : 3, is_open : 1, level : 12;
};

int main(void) {
    struct flags flags, copy;
    flags.kind = 5;
    flags.level = 0;
    copy = flags;
    return copy.is_open ? 1 : 0;
}
