// A mask lets one bit too many pass: it is one of a byte that was never set.
//
// expect: undefined-behaviour false
int main(void) {
    unsigned number;
    unsigned char *bytes = (unsigned char *)&number;
    bytes[0] = 0x81;
    if (number & 0x102)
        return 1;
    return 0;
}
