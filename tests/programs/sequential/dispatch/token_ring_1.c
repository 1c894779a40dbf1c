// A token goes from a master through 1 transmitter and back, each adding one; a scheduler runs
// whoever is ready.
//
// expect: unreach-call true
// explore: unknown

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int condition) {
    if (!condition)
        reach_error();
}

static int token, local;
static int m_at, m_ready = 1, e_m;
static int t1_at, t1_ready = 1, e_1;

static void wake(void) {
    if (e_m)
        m_ready = 1;
    if (e_1)
        t1_ready = 1;
}

static void transmit_1(void) {
    if (t1_at == 1) {
        token += 1;
        e_m = 1;
        wake();
        e_m = 0;
    }
    t1_at = 1;
    t1_ready = 0;
}

static void master(void) {
    if (m_at == 1)
        check(token == local + 1);
    token = __VERIFIER_nondet_int();
    local = token;
    e_1 = 1;
    wake();
    e_1 = 0;
    m_at = 1;
    m_ready = 0;
}

int main(void) {
    while (1) {
        if (t1_ready && __VERIFIER_nondet_int())
            transmit_1();
        if (m_ready && t1_at == 1 && !t1_ready)
            master();
    }
}
