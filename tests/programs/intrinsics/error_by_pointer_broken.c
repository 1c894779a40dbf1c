// reach_error is an error however it is called, whatever its body does.
// expect: unreach-call false
extern void abort(void);
void reach_error(void) { abort(); }

int main(void) {
    void (*volatile p)(void) = reach_error;
    p();
    return 0;
}
