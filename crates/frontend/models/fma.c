/* math.h: the product and the sum with one rounding, exactly.
 *
 * `fma` works on integers: a number that is neither zero nor infinite is `m * 2^e`, its product with another one has 106 bits, and the sum is formed in 128 bits
 * with the leading one of each addend at bit 124. The smaller one is shifted to the right; what is lost of it is remembered in bit 0, far below where the sum is rounded (if the sum
 * loses many leading bits, the exponents are close and nothing was lost). `fmaf` rounds the sum of doubles to odd, which does no harm to the rounding to float that follows
 * (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Transactions on Computers 57, 2008).
 */

union fused_pun { double value; unsigned long long bits; };
static unsigned long long fused_bits(double x) { union fused_pun pun; pun.value = x; return pun.bits; }
static double fused_of(unsigned long long bits) { union fused_pun pun; pun.bits = bits; return pun.value; }

struct fused { unsigned __int128 m; int e; };

static int fused_top(unsigned __int128 m) {
    unsigned long long high = (unsigned long long)(m >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((unsigned long long)m);
}

static struct fused fused_at_124(unsigned __int128 m, int e) {
    struct fused result;
    int shift = 124 - fused_top(m);
    result.m = m << shift;
    result.e = e - shift;
    return result;
}

static unsigned long long fused_mantissa(unsigned long long bits) {
    unsigned long long fraction = bits & ((1ULL << 52) - 1);
    return bits << 1 >> 53 ? fraction | 1ULL << 52 : fraction;
}
static int fused_exponent(unsigned long long bits) {
    int field = (int)(bits << 1 >> 53);
    return field ? field - 1075 : -1074;
}

static unsigned __int128 fused_shifted(unsigned __int128 m, int by) {
    if (by == 0) return m;
    if (by > 126) return 1;
    return m >> by | ((m << (128 - by)) != 0);
}

/* m * 2^e, to the nearest, ties to even. */
static double fused_rounded(unsigned __int128 m, int e, int negative) {
    int least = fused_top(m) + e - 52, drop;
    unsigned long long kept, bits;
    if (least < -1074) least = -1074;
    drop = least - e;
    if (drop <= 0) {
        kept = (unsigned long long)m << -drop;
    } else if (drop > 126) {
        kept = 0;
    } else {
        unsigned __int128 rest = m & (((unsigned __int128)1 << drop) - 1), half = (unsigned __int128)1 << (drop - 1);
        kept = (unsigned long long)(m >> drop);
        if (rest > half || (rest == half && (kept & 1))) kept++;
    }
    if (least + 1074 >= 2046) {
        bits = 0x7ffULL << 52;
    } else {
        bits = ((unsigned long long)(least + 1074) << 52) + kept;
        if (bits > 0x7ffULL << 52) bits = 0x7ffULL << 52;
    }
    return fused_of(bits | (unsigned long long)negative << 63);
}

double fma(double x, double y, double z) {
    unsigned long long a = fused_bits(x), b = fused_bits(y), c = fused_bits(z);
    struct fused product, addend;
    int negative, difference;
    if (!(x - x == 0) || !(y - y == 0)) return x * y + z;
    if (!(z - z == 0)) return z + z;
    if (x == 0 || y == 0) return x * y + z;
    if (z == 0) return x * y;
    negative = (int)((a ^ b) >> 63);
    product = fused_at_124((unsigned __int128)fused_mantissa(a) * fused_mantissa(b), fused_exponent(a) + fused_exponent(b));
    addend = fused_at_124(fused_mantissa(c), fused_exponent(c));
    difference = product.e - addend.e;
    if (difference >= 0) {
        addend.m = fused_shifted(addend.m, difference);
        addend.e = product.e;
    } else {
        product.m = fused_shifted(product.m, -difference);
        product.e = addend.e;
    }
    if (negative == (int)(c >> 63)) return fused_rounded(product.m + addend.m, product.e, negative);
    if (product.m == addend.m) return 0;
    if (product.m > addend.m) return fused_rounded(product.m - addend.m, product.e, negative);
    return fused_rounded(addend.m - product.m, product.e, !negative);
}

float fmaf(float x, float y, float z) {
    double product = (double)x * y, sum = product + z, back, error;
    unsigned long long bits = fused_bits(sum);
    if (!(sum - sum == 0) || sum == 0) return (float)sum;
    back = sum - product;
    error = (product - (sum - back)) + (z - back);
    if (error != 0 && !(bits & 1)) sum = fused_of((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
    return (float)sum;
}
