/* arpa/inet.h: addresses of IPv4 as text. Those of IPv6 have no model. */

typedef __typeof__(sizeof(0)) size_t;
struct in_addr { unsigned s_addr; };

extern void __threadproof_unsupported(const char *);
extern int *__errno_location(void);
extern int snprintf(char *, size_t, const char *, ...);
extern unsigned long strtoul(const char *, char **, int);

enum { IPV4 = 2, IPV6 = 10, ENOSPC_ = 28, EAFNOSUPPORT_ = 97 };

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_known(int family) {
    if (family == IPV6) __threadproof_unsupported("addresses of IPv6");
    if (family == IPV4) return 1;
    *__errno_location() = EAFNOSUPPORT_;
    return 0;
}

/* Four decimal numbers below 256, without leading zeros. */
int inet_pton(int family, const char *s, void *result) {
    unsigned char bytes[4];
    if (!is_known(family)) return -1;
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        if (i > 0 && *s++ != '.') return 0;
        if (!is_digit(*s) || (*s == '0' && is_digit(s[1]))) return 0;
        for (; is_digit(*s); s++) {
            value = value * 10 + (unsigned)(*s - '0');
            if (value > 255) return 0;
        }
        bytes[i] = (unsigned char)value;
    }
    if (*s) return 0;
    for (int i = 0; i < 4; i++) ((unsigned char *)result)[i] = bytes[i];
    return 1;
}
const char *inet_ntop(int family, const void *address, char *text, unsigned size) {
    const unsigned char *bytes = address;
    char whole[16];
    if (!is_known(family)) return 0;
    int n = snprintf(whole, sizeof whole, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
    if ((unsigned)n >= size) {
        *__errno_location() = ENOSPC_;
        return 0;
    }
    for (int i = 0; i <= n; i++) text[i] = whole[i];
    return text;
}
static char text[18];
char *inet_ntoa(struct in_addr address) { return (char *)inet_ntop(IPV4, &address, text, sizeof text); }

/* One to four numbers as in C; the last one stands for all bytes that are left. */
int inet_aton(const char *s, struct in_addr *result) {
    unsigned long part[4];
    int n = 0;
    unsigned address = 0;
    for (;;) {
        char *end;
        if (!is_digit(*s)) return 0;
        part[n++] = strtoul(s, &end, 0);
        s = end;
        if (*s != '.') break;
        if (n == 4) return 0;
        s++;
    }
    if (*s && *s != ' ' && (*s < '\t' || *s > '\r')) return 0;
    for (int i = 0; i + 1 < n; i++) {
        if (part[i] > 255) return 0;
        address |= (unsigned)part[i] << (24 - 8 * i);
    }
    if (part[n - 1] > 0xffffffffUL >> (8 * (n - 1))) return 0;
    address |= (unsigned)part[n - 1];
    if (result) result->s_addr = __builtin_bswap32(address);
    return 1;
}
unsigned inet_addr(const char *s) {
    struct in_addr address;
    return inet_aton(s, &address) ? address.s_addr : 0xffffffff;
}
