// The bytes of a number that were never set are masked, or overruled by bits that were.
//
// expect: undefined-behaviour true
int main(void) {
    unsigned number;
    unsigned char *bytes = (unsigned char *)&number;
    bytes[0] = 0x81;
    if ((number & 0xff) != 0x81)
        return 1;
    if ((number | 0xffffff00) != 0xffffff81)
        return 2;
    if ((unsigned char)number != 0x81)
        return 3;
    if (number << 24 != 0x81000000)
        return 4;
    if (number == 0x80)
        return 5;
    return 0;
}
