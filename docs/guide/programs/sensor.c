#include <assert.h>

int read_mode(int channel);

int main(void) {
    int mode = read_mode(3);
    assert(mode != 3); // which is reserved
    return 0;
}
