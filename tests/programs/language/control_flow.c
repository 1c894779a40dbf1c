// goto, nested break and continue, fall-through, case ranges, Duff's device, do-while.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

int classify(int n)
{
    switch (n) {
    case 0:
        return 10;
    case 1:
        n++;
        /* fall through */
    case 2:
        n += 20;
        break;
    case 5 ... 7:
        return 57;
    default:
        n = -1;
    }
    return n;
}

int copied(const char *from, char *to, int count)
{
    int rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            *to++ = *from++;
    case 3:
            *to++ = *from++;
    case 2:
            *to++ = *from++;
    case 1:
            *to++ = *from++;
        } while (--rounds > 0);
    }
    return count;
}

int main(void)
{
    char to[7] = {0};
    int pairs = 0, n = 0;
    assert(classify(0) == 10 && classify(1) == 22 && classify(2) == 22);
    assert(classify(6) == 57 && classify(9) == -1);
    assert(copied("abcdef", to, 6) == 6 && to[0] == 'a' && to[5] == 'f' && to[6] == 0);
    for (int i = 0; i < 5; i++) {
        if (i == 1)
            continue;
        for (int j = 0;; j++) {
            if (j == i)
                break;
            if (i == 3)
                goto out;
            pairs++;
        }
    }
out:
    assert(pairs == 2);
again:
    if (++n < 3)
        goto again;
    assert(n == 3);
    do
        n--;
    while (n > 0);
    assert(n == 0);
    return 0;
}
