extern int __VERIFIER_nondet_int(void);

/// The device has the modes 0, 1 and 2.
int read_mode(int channel) {
    int mode = __VERIFIER_nondet_int();
    return mode < 0 || mode > 2 ? 0 : mode;
}
