extern int __VERIFIER_nondet_int(void);

int read_sensor(int channel) {
    int value = __VERIFIER_nondet_int();
    return value < 0 ? 0 : value > 1023 ? 1023 : value;
}
