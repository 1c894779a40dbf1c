//! The templates: one or more for each function with an exact model.

/// Calls with one right answer.
pub const EXACT: &[&str] = &[
    // ---- string.h: memory
    "char b[16] = \"0123456789abcde\"; L(memcpy(b + 2, $s, 3 > $n ? 1 : 0), b); B(b, 16);",
    "char b[24] = \"0123456789abcdefghijkl\"; L(memmove(b + $n, b + $n, $n), b); B(b, 24);",
    "char b[16] = \"0123456789abcde\"; L(mempcpy(b + 1, b + 10, $n % 5), b); B(b, 16);",
    "char b[16] = \"0123456789abcde\"; L(memccpy(b, \"ab,;0zBZ \", $c, 9), b); B(b, 16);",
    "char b[24] = \"0123456789abcdefghijkl\"; L(memset(b + $n, $i, $n), b); B(b, 24);",
    "char b[24] = \"0123456789abcdefghijkl\"; bzero(b + $n, $n); bcopy(b + $n, b + $n, $n); B(b, 24);",
    "char b[24] = \"0123456789abcdefghijkl\"; explicit_bzero(b + $n, $n); B(b, 24);",
    "char b[24] = \"0123456789abcdefghijkl\", c[24] = \"\"; swab(b, c, $n); B(c, 24);",
    "char a[16] = $t, b[16] = $t; size_t n = $n; R(sign(memcmp(a, b, n))); R(!bcmp(a, b, n));",
    "unsigned char a[2] = { $i, 200 }, b[2] = { $i, 100 }; R(sign(memcmp(a, b, 2)));",
    "char a[16] = $s; L(memchr(a, $c, $n), a); L(memrchr(a, $c, $n), a); L(rawmemchr(a, 0), a);",
    "char a[16] = $t; L(memmem(a, $n, $t, $n % 4 % 2), a); L(memmem(a, 16, \"ab\", 2), a);",
    "char b[16] = $s; L(memfrob(b, $n), b); B(b, 16);",
    // ---- string.h: lengths and copies
    "R(strlen($s)); R(strnlen($s, $n));",
    "char b[16] = \"0123456789abcde\"; L(strcpy(b, $s), b); B(b, 16);",
    "char b[16] = \"0123456789abcde\"; L(stpcpy(b, $s), b); B(b, 16);",
    "char b[16] = \"0123456789abcde\"; L(strncpy(b, $s, $n), b); B(b, 16);",
    "char b[16] = \"0123456789abcde\"; L(stpncpy(b, $s, $n), b); B(b, 16);",
    "char b[32] = $s; L(strcat(b, $s), b); B(b, 32);",
    "char b[32] = $s; L(strncat(b, $s, $n), b); B(b, 32);",
    "char *p = strdup($s); H(p); free(p);",
    "char *p = strndup($s, $n); H(p); free(p);",
    // ---- string.h: comparisons
    "R(sign(strcmp($t, $t))); R(sign(strcmp(\"a\\x80\", \"a\\x7f\")));",
    "R(sign(strncmp($t, $t, $n))); R(sign(strcoll($t, $t)));",
    "R(sign(strcasecmp($s, $s))); R(sign(strcasecmp($t, $t)));",
    "R(sign(strncasecmp($t, $t, $n)));",
    "R(sign(strverscmp($q, $q))); R(sign(strverscmp(\"a0\", \"a00\"))); R(sign(strverscmp(\"a9\", \"a10\")));",
    "char b[16] = \"0123456789abcde\"; R(strxfrm(b, $s, 12)); B(b, 4);",
    // ---- string.h: searches
    "const char *s = $s; int c = $c; L(strchr(s, c), s); L(strrchr(s, c), s); L(strchrnul(s, c), s); L(index(s, c), s); L(rindex(s, c), s);",
    "const char *s = $t; L(strstr(s, $t), s); L(strstr(s, \"ab\"), s); L(strstr(s, \"\"), s);",
    "const char *s = $t; L(strcasestr(s, $t), s); L(strcasestr(s, \"aB\"), s);",
    "R(strspn($s, $s)); R(strspn($t, \"ab\"));",
    "R(strcspn($s, $s)); R(strcspn($t, \",A\"));",
    "const char *s = $s; L(strpbrk(s, $s), s);",
    "H(basename(\"/usr/lib\")); H(basename(\"lib\")); H(basename(\"a/\"));",
    "char *a = $n & 1 ? \"/\" : \"a//\", b[32] = \"\"; strcat(b, a); strcat(b, $t); strcat(b, $n & 1 ? \"/\" : \"\"); H(__xpg_basename(b));",
    "char *p[] = { \"/usr/lib\", \"/usr/\", \"usr\", \"/\", \".\", \"..\", \"a//b\", \"/a\", \"a/b/\", \"///a\", \"\", \"a//b///\" }, b[16]; for (int i = 0; i < 12; i++) { strcpy(b, p[i]); H(dirname(b)); strcpy(b, p[i]); H(__xpg_basename(b)); }",
    // ---- string.h: words
    "char b[16] = $s, *p = strtok(b, \",; \"); for (int i = 0; p && i < 9; i++) { L(p, b); p = strtok(0, i & 1 ? \",\" : \"; \"); } B(b, 16);",
    "char b[16] = $t, *r, *p = strtok_r(b, $t, &r); for (int i = 0; p && i < 9; i++) { L(p, b); L(r, b); p = strtok_r(0, \",\", &r); } B(b, 16);",
    "char b[16] = $s, *l = b, *p; while ((p = strsep(&l, \",; \"))) { L(p, b); L(l, b); } B(b, 16);",
    // ---- string.h: messages
    "H(strerror($n)); H(strerror($N)); H(strerror(133)); H(strerror(134)); H(strerror(-1)); H(strerror(41)); E;",
    "char b[40]; H(strerror_r($N, b, 40)); H(strerror_r(1000, b, 40)); B(b, 18);",
    "H(strsignal($n)); H(strsignal($N)); H(strsignal(34)); H(strsignal(65)); H(strerrorname_np(11)); H(sigabbrev_np(11));",
    // ---- strings.h
    "R(ffs($i)); R(ffsl($l)); R(ffsll($l)); R(ffs(INT_MIN)); R(ffs(0));",
    // ---- ctype.h
    "for (int c = -128; c < 256; c++) R(is$k(c));",
    "for (int c = -128; c < 256; c++) R(__isctype(c, _IS$k));",
    "for (int c = -128; c < 256; c++) { R((*__ctype_tolower_loc())[c]); R((*__ctype_toupper_loc())[c]); }",
    "for (int c = -128; c < 256; c++) { R(tolower(c)); R((toupper)(c)); }",
    "int (*f)(int) = $n & 1 ? toupper : isdigit; for (int c = 40; c < 128; c++) R(f(c)); R(isascii($i)); R(toascii($i));",
    // ---- stdlib.h: conversions
    "R(atoi(\"-12x\")); R(atol($q)); R(atoll($q));",
    "const char *s = $q; char *e = (char *)s; R(strtol(s, &e, $b)); L(e, s); E; R(strtol(s, 0, 10));",
    "const char *s = $q; char *e = (char *)s; R(strtoul(s, &e, $b)); L(e, s); E;",
    "const char *s = $q; char *e = (char *)s; R(strtoll(s, &e, $b)); L(e, s); E;",
    "const char *s = $q; char *e = (char *)s; R(strtoull(s, &e, $b)); L(e, s); E;",
    "const char *s = $q; char *e = (char *)s; R(strtoimax(s, &e, $b)); R(strtoumax(s, &e, $b)); L(e, s); E;",
    "const char *s[] = { \"1.5\", \" -0.25e2x\", \"1e\", \"1e+\", \".5\", \".\", \"0x1.8p3\", \"inf\", \"-Infinity\", \"nan(1_)\", \"1e22\", \"123456789e-9\", \
     \"0x\", \"0x.p1\", \"-0\", \"007.50\", \"infinit\", \"1e0000000000000\" }; for (int i = 0; i < 18; i++) { char *e; D(strtod(s[i], &e)); L(e, s[i]); E; }",
    "char b[40]; snprintf(b, 40, \"%d.%03de%d\", $i, $n, $n - 8); D(atof(b)); snprintf(b, 40, \"%ld\", $h); D(atof(b));",
    "char b[40]; snprintf(b, 40, \"%d.%de%d\", $n, $n, $n - 8); D(strtof(b, 0)); D(strtod(b, 0));",
    // ---- stdlib.h: arithmetic
    "R(abs($i)); R(labs($l)); R(llabs($l)); R(imaxabs($l));",
    "div_t d = div($i, $j); R(d.quot); R(d.rem); ldiv_t l = ldiv($l, $j); R(l.quot); R(l.rem);",
    "lldiv_t d = lldiv($l, $j); R(d.quot); R(d.rem); imaxdiv_t l = imaxdiv($l, $j); R(l.quot); R(l.rem);",
    // ---- stdlib.h: searching
    "int a[] = { -5, 0, 3, 9, 20, 21, 40 }, k = $n, *p = bsearch(&k, a, 7, sizeof *a, compare_ints); calls = 0; L(p, a); \
     p = bsearch(&k, a, $n % 8, sizeof *a, compare_ints); L(p, a); R(calls);",
    "int a[12] = { 4, $n, 7, $n, 2 }, k = $n; size_t n = 5; L(lfind(&k, a, &n, sizeof *a, compare_ints), a); L(lsearch(&k, a, &n, sizeof *a, compare_ints), a); R(n); B(a, 24);",
    // ---- stdlib.h: memory
    "int *p = calloc($n, sizeof(int)); R(p != 0); free(p); volatile size_t huge = ~(size_t)0 / 2; R(calloc(huge, 4) == 0); R(reallocarray(0, huge, 3) == 0); E;",
    "void *p; R(posix_memalign(&p, 64 << $n, $N)); R((uintptr_t)p % (64 << 0)); free(p); p = aligned_alloc(4096, 4096); R((uintptr_t)p % 4096); free(p);",
    "void *p = &p; volatile size_t a = $n * 8; R(posix_memalign(&p, a, 10)); a = 256; R(posix_memalign(&p, a, 10)); R((uintptr_t)p % 256); free(p);",
    // ---- stdlib.h: the environment
    "R(setenv(\"A\", $s, 1)); H(getenv(\"A\")); R(setenv(\"A\", $s, 0)); H(getenv(\"A\")); R(unsetenv(\"A\")); R(getenv(\"A\") == 0); R(setenv(\"\", \"\", 1)); E; \
     static char b[] = \"B=2\"; R(putenv(b)); H(getenv(\"B\")); b[2] = '3'; H(getenv(\"B\")); R(getenv(\"B=\") == 0); R(clearenv()); R(getenv(\"B\") == 0);",
    // ---- stdio.h
    "char b[100]; memset(b, '#', 100); R(snprintf(b, $N, $P)); B(b, 100);",
    "char b[200]; memset(b, '#', 200); R(sprintf(b, $P)); B(b, 200); R(sprintf(b, $P)); B(b, 200);",
    "char b[100]; memset(b, '#', 100); R(print_list(b, $N, $P)); B(b, 100);",
    "char *p; R(asprintf(&p, $P)); H(p); free(p);",
    "char b[300]; memset(b, '#', 300); R(snprintf(b, 300, $F)); B(b, 300);",
    "char b[300]; memset(b, '#', 300); R(snprintf(b, 300, $F)); B(b, 300); R(snprintf(b, 300, \"%.*f|%5.1f|%+.0f\", $n, $g, $g, $g)); B(b, 300);",
    "char b[60]; long l = 7; int i = 7; short h = 7; signed char c = 7; R(sprintf(b, \"%s%n%ln%d%hn %hhn\", $s, &i, &l, $i, &h, &c)); R(i); R(l); R(h); R(c);",
    "char b[60]; errno = $N; R(sprintf(b, \"%m|%p|%ls|%lc\", (void *)0, $w, L'x')); H(b);",
    "_Alignas(16) char slot[4][64]; memset(slot, 0x55, sizeof slot); R(sscanf($S)); B(slot, sizeof slot);",
    "_Alignas(16) char slot[4][64]; memset(slot, 0x55, sizeof slot); R(sscanf($S)); B(slot, sizeof slot); E;",
    "double d = 7; float f = 7; int n = -1; R(sscanf(\"1.5 -0.25 x\", \"%lf %f%n\", &d, &f, &n)); D(d); D(f); R(n);",
    "void *p = &p; int i = 0; R(sscanf(\"0x1f 12\", \"%p %d\", &p, &i)); R(p); R(i); R(sscanf(\"\", \"%d\", &i)); R(sscanf(\"  \", \"%d\", &i)); R(sscanf(\"-\", \"%d\", &i)); R(sscanf(\"x\", \"%d\", &i));",
    // ---- math.h
    "D(fabs($d)); D(fabsf($f)); D(copysign($d, $d)); D(copysignf($f, $f));",
    "D(floor($d)); D(ceil($d)); D(trunc($d)); D(round($d)); D(rint($d)); D(nearbyint($d)); D(roundeven($d));",
    "D(floorf($f)); D(ceilf($f)); D(truncf($f)); D(roundf($f)); D(rintf($f)); D(nearbyintf($f)); D(roundevenf($f));",
    "R(lround($g)); R(llround($g)); R(lrint($g)); R(llrint($g)); R(lroundf(2.5f)); R(lrintf(2.5f));",
    "double x = $d, y = $d; if (!(x == 0 && y == 0)) { D(fmin(x, y)); D(fmax(x, y)); } D(fdim(x, y)); float f = $f, g = $f; if (!(f == 0 && g == 0)) { D(fminf(f, g)); D(fmaxf(f, g)); } D(fdimf(f, g));",
    "double w, x = $d; D(modf(x, &w)); D(w); float v; D(modff($f, &v)); D(v);",
    "int e = 0; double x = $d; D(frexp(x, &e)); if (isfinite(x)) R(e); float f = $f; D(frexpf(f, &e)); if (isfinite(f)) R(e);",
    "D(ldexp($d, $n * 300 - 1200)); E; D(scalbn($d, $j)); D(scalbln($d, $j * 40L)); D(ldexpf($f, $j * 5)); D(scalbnf($f, $j));",
    "double x = $d; R(ilogb(x)); D(logb(x)); float f = $f; R(ilogbf(f)); D(logbf(f));",
    "D(nextafter($d, $d)); D(nextafterf($f, $f)); D(nextafter(1, 2)); D(nextafter(0, -1)); E;",
    "D(fmod($d, $d)); E; D(fmod($g, $j)); D(fmodf($f, $f)); D(fmod($h, 7));",
    "D(remainder($d, $d)); E; D(remainder($g, $j)); D(remainderf($f, $f)); D(remainder(5, 2)); D(remainder(-3, 2));",
    "D(sqrt($d)); E; D(sqrt($g)); D(sqrtf($f)); D(sqrt($n)); D(sqrt(5e-324)); D(sqrtf(1e-45f));",
    "double x = $d; R(!!isnan(x)); R(!!isinf(x)); R(!!isfinite(x)); R(!!isnormal(x)); R(!!signbit(x)); R(fpclassify(x));",
    "float x = $f; R(!!isnan(x)); R(!!isinf(x)); R(!!isfinite(x)); R(!!isnormal(x)); R(!!signbit(x)); R(fpclassify(x));",
    "double x = $d; R((isinf)(x)); R(!!(isnan)(x)); R(!!__finite(x)); R(__isinf(x)); R(!!__signbit(x)); R(__fpclassify(x)); R(__fpclassifyf($f));",
    "double x = $d, y = $d; R(isgreater(x, y)); R(isgreaterequal(x, y)); R(isless(x, y)); R(islessequal(x, y)); R(islessgreater(x, y)); R(isunordered(x, y));",
    "D(pow($n, $n)); D(pow(2, $N)); D(pow($d, 0)); D(pow(-3, $n)); D(exp(0)); D(sin(0)); D(cos(0)); D(log(1)); D(hypot(0, -3)); D(nan(\"\"));",
    // ---- time.h
    "time_t t = $h; struct tm tm; R(gmtime_r(&t, &tm) != 0); R(tm.tm_sec); R(tm.tm_min); R(tm.tm_hour); R(tm.tm_mday); R(tm.tm_mon); R(tm.tm_year); \
     R(tm.tm_wday); R(tm.tm_yday); R(tm.tm_isdst); H(asctime(&tm)); R(timegm(&tm)); D(difftime($l, $l));",
    "struct tm tm = { .tm_sec = $j, .tm_min = $j * 3, .tm_hour = $j, .tm_mday = $j, .tm_mon = $j, .tm_year = $j }; R(timegm(&tm)); R(tm.tm_wday); R(tm.tm_yday); R(tm.tm_mon); R(tm.tm_mday); \
     char b[26]; H(asctime_r(&tm, b)); time_t t = LONG_MAX; R(gmtime(&t) == 0); E;",
    // ---- unistd.h and getopt.h
    "char *argv[] = $A; int argc = sizeof argv / sizeof *argv - 1, r, n = 0; optind = 0; opterr = 0; optopt = '?'; \
     while ((r = getopt(argc, argv, $O)) != -1 && n++ < 12) { R(r); H(optarg ? optarg : \"none\"); R(optind); R(optopt); } R(optind); for (int i = 0; i < argc; i++) H(argv[i]);",
    "char *argv[] = $A; int argc = sizeof argv / sizeof *argv - 1, r, n = 0, flag = 0, index = -1; optind = 0; opterr = 0; optopt = '?'; const char *short_options = $O; \
     struct option o[] = { { \"alpha\", 0, 0, 'A' }, { \"beta\", 1, 0, 'B' }, { \"gamma\", 2, &flag, 'G' }, { \"alphabet\", 0, 0, 'A' }, { 0 } }; \
     while ((r = getopt_long(argc, argv, short_options, o, &index)) != -1 && n++ < 12) { R(r); H(optarg ? optarg : \"none\"); R(optind); R(optopt); R(flag); R(index); } R(optind); for (int i = 0; i < argc; i++) H(argv[i]);",
    "char *argv[] = $A; int argc = sizeof argv / sizeof *argv - 1, r, n = 0, index = -1; optind = 0; opterr = 0; optopt = '?'; \
     struct option o[] = { { \"alpha\", 0, 0, 'A' }, { \"beta\", 1, 0, 'B' }, { \"gamma\", 2, 0, 'G' }, { 0 } }; \
     while ((r = getopt_long_only(argc, argv, \"ab:c\", o, &index)) != -1 && n++ < 12) { R(r); H(optarg ? optarg : \"none\"); R(optind); R(optopt); R(index); } R(optind); for (int i = 0; i < argc; i++) H(argv[i]);",
    // ---- wchar.h and wctype.h
    "R(wcslen($w)); R(wcsnlen($w, $n)); R(sign(wcscmp($w, $w))); R(sign(wcsncmp($w, $w, $n)));",
    "wchar_t b[32] = $w; L(wcscat(b, $w), b); L(wcsncat(b, $w, $n), b); L(wcschr(b, L'b'), b); L(wcsrchr(b, L'a'), b); L(wcsstr(b, L\"ab\"), b); R(wcsspn(b, L\"ab\")); R(wcscspn(b, $w)); L(wcspbrk(b, $w), b);",
    "wchar_t b[16] = L\"0123456789abcde\"; wcscpy(b, $w); B(b, 64); wcsncpy(b + 3, $w, $n); B(b, 64); wmemset(b + $n, L'x', $n / 2); B(b, 64); R(sign(wmemcmp(b, b + 1, 5))); L(wmemchr(b, L'x', 16), b);",
    "for (int c = 0; c < 128; c++) { R(!!isw$k(c)); R(towlower(c)); R(towupper(c)); }",
    "wchar_t b[16] = L\"\"; char c[16] = \"\"; R(mbstowcs(b, $t, 9)); B(b, 64); R(wcstombs(c, $w, 9)); B(c, 16); R(mblen(\"a\", 2)); R(mbtowc(b, \"\", 1)); R(wctomb(c, L'q')); R(btowc('a')); R(wctob(L'a'));",
    "wchar_t b[16] = $w, *r, *p = wcstok(b, L\",\", &r); for (; p; p = wcstok(0, L\"ab,\", &r)) L(p, b); B(b, 64);",
    "R(sign(wcscasecmp($w, $w))); R(sign(wcsncasecmp($w, $w, $n))); wchar_t b[16] = L\"0123456789abcde\"; L(wcpncpy(b, $w, $n), b); B(b, 64);",
    // ---- byte orders
    "R(htonl($i)); R(ntohl($i)); R(htons($i)); R(ntohs($i)); H(setlocale(LC_ALL, 0)); H(setlocale(LC_ALL, \"C\"));",
    // ---- what the compiler knows
    "R(__builtin_strlen($s)); R(sign(__builtin_strcmp($t, $t))); R(sign(__builtin_memcmp($t \"12345\", $t \"12345\", 5))); R(__builtin_abs($i)); R(__builtin_ffs($i)); R(__builtin_ffsl($l)); R(__builtin_ffsll($l));",
    "R(__builtin_parity($i)); R(__builtin_parityl($l)); R(__builtin_parityll($l)); R(__builtin_clrsb($i)); R(__builtin_clrsbl($l)); R(__builtin_clrsbll($l)); R(__builtin_popcount($i));",
    "double x = $d, y = $d; R(!!__builtin_isnan(x)); R(!!__builtin_isinf(x)); R(__builtin_isinf_sign(x)); R(!!__builtin_isfinite(x)); R(!!__builtin_isnormal(x)); R(!!__builtin_signbit(x)); R(__builtin_fpclassify(10, 11, 12, 13, 14, x)); R(__builtin_isunordered(x, y)); D(__builtin_fabs(x)); D(__builtin_floor(x)); D(__builtin_copysign(x, y));",
    "int r = 0; long l = 0; unsigned u = 0; signed char c = 0; R(__builtin_add_overflow($i, $i, &r)); R(r); R(__builtin_sub_overflow($i, $i, &u)); R(u); R(__builtin_mul_overflow($l, $l, &l)); R(l); \
     R(__builtin_mul_overflow($i, $i, &c)); R(c); R(__builtin_add_overflow($l, $i, &u)); R(u); R(__builtin_sadd_overflow($i, $i, &r)); R(r); R(__builtin_umul_overflow($i, $i, &u)); R(u); R(__builtin_ssubl_overflow($l, $l, &l)); R(l);",
    "unsigned long m = $l; unsigned long long r = 0; R(__builtin_add_overflow(m, $l, &r)); R(r); R(__builtin_sub_overflow(m, $i, &r)); R(r); R(__builtin_mul_overflow(m, $l, &r)); R(r); _Bool b = 0; R(__builtin_add_overflow_p($i, $i, 0)); R(__builtin_mul_overflow_p($i, $i, (short)0));",
    "char b[40] = \"\"; R(__builtin___snprintf_chk(b, 40, 0, 40, $P)); H(b); R(__builtin_snprintf(b, $n, $P)); __builtin___strcpy_chk(b, $s, 40); H(b); __builtin___memcpy_chk(b + 2, $s, 1, 38); H(b); __builtin___memset_chk(b, 65, $n, 40); __builtin_memset(b + 39, 0, 1); H(b);",
    // ---- numbers as text
    "char b[80]; memset(b, '#', 80); R(snprintf(b, 80, \"%e|%.*g|%+.2e|%-12g|%#.3G\", $h / 1024.0, $n, $h / 64.0, $j / 8.0, $h / 4096.0, $j * 100000.0)); B(b, 80);",
    "wchar_t b[40]; R(swprintf(b, 40, L\"%d|%ls|%5x|%c|%s\", $i, $w, $n, 65 + $n, $t)); H((char *)b); R(b[0]); R(b[3]); R(wcslen(b)); R(swprintf(b, 1 + $n % 2, L\"%d\", 123) < 0);",
    "char *e = \"\"; R(strtoq($q, &e, $b)); H(e); R(strtouq($q, &e, $b)); H(e); wchar_t *v = L\"\"; R(wcstoll(L\"-12x\", &v, 10)); R(*v); R(wcstoull(L\"0x1fz\", &v, 0)); R(*v); R(wcstoimax(L\"7\", 0, 8)); R(wcstoumax(L\"z\", 0, 36)); D(wcstof(L\"1.5\", 0));",
    // ---- math.h: more
    "D(hypot($d, $d)); E; D(hypot($g, $g)); D(hypot($j, $n)); D(hypot(1e300, $g)); D(hypot(1e-320, $d / 1e300)); D(hypotf($f, $f)); E; D(hypotf($j, $n));",
    "double _Complex z = __builtin_complex((double)$d, (double)$d), w = __builtin_complex((double)$d, (double)$d); C(z * w); C(z / w); w = __builtin_complex((double)$j, (double)$g); C(z * w); C(z / w); C($g / w); C(w / $g); D(cabs(w)); C(cproj(z));",
    "double _Complex z = __builtin_complex((double)$g, (double)$n), w = __builtin_complex((double)$j, (double)$g); z *= w; C(z); z /= w; C(z); w = __builtin_complex((double)$n, (double)$n); C(z / w); C(z * w); R(z == w);",
    "float _Complex z = __builtin_complex((float)$f, (float)$f), w = __builtin_complex((float)$f, (float)$j); C(z * w); C(z / w); C(w / z); C($n / w); D(cabsf(w)); C(cprojf(z));",
    "long double _Complex z = __builtin_complex((long double)$d, (long double)$d), w = __builtin_complex((long double)$g, (long double)$j); C(z * w); C(z / w); C(w / z); C(w * w / z);",
    "D(fma($d, $d, $d)); D(fma($g, $j, $g)); D(fmaf($f, $f, $f)); D(significand($g)); D(significandf($j)); R(llroundf($j / 2.0f)); R(llrintf($j / 2.0f)); D(scalblnf($f, $j)); D(nanf(\"\"));",
    "R(!!isnanf($f)); R(isinff($f)); R(!!finitef($f)); R(!!finite($d)); R(!!__isnanf($f)); R(__isinff($f)); R(!!__finitef($f)); R(!!__signbitf($f));",
    // ---- wchar.h: more
    "wchar_t b[32] = L\"0123456789abcdefghijklmno\"; L(wmemcpy(b + 1, $w L\"xxxxxxxxx\", $n), b); B(b, 128); L(wmempcpy(b, b + 12, $n), b); L(wmemmove(b + 2, b, $n), b); B(b, 128); L(wcpcpy(b, $w), b); L(wcschrnul(b, L'b'), b); R(sign(wcscoll($w, $w))); wchar_t *p = wcsdup($w); R(wcslen(p)); free(p);",
    // ---- search.h
    "ENTRY x = { $t, (void *)1 }, *r; R(hcreate(20)); r = hsearch(x, ENTER); H(r->key); x.key = $t; x.data = (void *)2; r = hsearch(x, FIND); R(r ? (long)r->data : -1); E; r = hsearch(x, ENTER); R(r->data); hdestroy();",
    // ---- pthread.h, semaphore.h and signal.h, without other threads
    "pthread_mutexattr_t a; int v = -1; R(pthread_mutexattr_init(&a)); R(pthread_mutexattr_settype(&a, $n - 2)); R(pthread_mutexattr_gettype(&a, &v)); R(v); R(pthread_mutexattr_setpshared(&a, $n % 4)); R(pthread_mutexattr_getpshared(&a, &v)); R(v); \
     R(pthread_mutexattr_setrobust(&a, $n % 4)); R(pthread_mutexattr_getrobust(&a, &v)); R(v); R(pthread_mutexattr_setprotocol(&a, $n % 5)); R(pthread_mutexattr_getprotocol(&a, &v)); R(v); R(pthread_mutexattr_destroy(&a));",
    "pthread_mutexattr_t a; pthread_mutex_t m; pthread_mutexattr_init(&a); int kind = 1 + $n % 2; pthread_mutexattr_settype(&a, kind); R(pthread_mutex_init(&m, &a)); R(pthread_mutex_lock(&m)); R(pthread_mutex_lock(&m)); R(pthread_mutex_trylock(&m)); R(pthread_mutex_unlock(&m)); \
     R(pthread_mutex_unlock(&m)); R(pthread_mutex_unlock(&m)); R(pthread_mutex_unlock(&m)); R(pthread_mutex_trylock(&m)); R(pthread_mutex_destroy(&m)); R(pthread_mutex_unlock(&m)); R(pthread_mutex_destroy(&m));",
    "pthread_rwlockattr_t a; pthread_condattr_t c; pthread_barrierattr_t b; int v = -1; clockid_t k = -1; pthread_rwlockattr_init(&a); R(pthread_rwlockattr_setpshared(&a, $n % 3)); R(pthread_rwlockattr_getpshared(&a, &v)); R(v); pthread_condattr_init(&c); \
     R(pthread_condattr_setclock(&c, $n % 3)); R(pthread_condattr_getclock(&c, &k)); R(k); R(pthread_condattr_setpshared(&c, $n % 3)); R(pthread_condattr_getpshared(&c, &v)); R(v); pthread_barrierattr_init(&b); R(pthread_barrierattr_setpshared(&b, $n % 3)); R(pthread_barrierattr_getpshared(&b, &v)); R(v);",
    "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; R(pthread_rwlock_rdlock(&l)); R(pthread_rwlock_tryrdlock(&l)); R(pthread_rwlock_trywrlock(&l)); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); R(pthread_rwlock_trywrlock(&l)); R(pthread_rwlock_tryrdlock(&l)); R(pthread_rwlock_wrlock(&l)); R(pthread_rwlock_rdlock(&l)); pthread_rwlock_unlock(&l);",
    "sem_t s; int v = -1; R(sem_init(&s, 0, $n)); R(sem_getvalue(&s, &v)); R(v); R(sem_trywait(&s)); E; R(sem_post(&s)); R(sem_wait(&s)); R(sem_getvalue(&s, &v)); R(v); R(sem_destroy(&s)); R(sem_init(&s, 0, 1u << 31)); E;",
    "sigset_t s, o; R(sigemptyset(&s)); R(sigaddset(&s, $n + 10)); R(sigaddset(&s, $j)); R(sigismember(&s, $n + 10)); R(sigdelset(&s, $n + 10)); R(sigismember(&s, $j)); R(sigisemptyset(&s)); R(sigfillset(&s)); R(sigismember(&s, 12)); \
     sigemptyset(&s); sigaddset(&s, SIGUSR1); R(sigprocmask(SIG_BLOCK, &s, &o)); R(sigismember(&o, SIGUSR1)); raise(SIGUSR1); sigpending(&o); R(sigismember(&o, SIGUSR1)); int g = 0; R(sigwait(&s, &g)); R(g); R(sigprocmask(SIG_UNBLOCK, &s, 0)); R(sigprocmask(7, &s, 0)); E;",
];

/// Calls that leave a choice, whose results are the same whatever is chosen.
pub const OPEN: &[&str] = &[
    // ---- stdlib.h: memory that moves or stays
    "char *p = malloc(4); strcpy(p, \"abc\"); p = realloc(p, 40); H(p); p = reallocarray(p, 3, 2); B(p, 4); free(p);",
    "int a[4] = { $n, $n, $n, 11 }, k = $n; void *root = 0; for (int i = 0; i < 4; i++) R(**(int **)tsearch(&a[i], &root, compare_ints)); R(tfind(&k, &root, compare_ints) != 0); R(tdelete(&k, &root, compare_ints) != 0); R(tfind(&k, &root, compare_ints) != 0); R(root != 0); tdestroy(root, ignore);",
    "int a[8] = { $n, $n, $i, $n, $i, 3, $n, 3 }; qsort(a, $n % 9, sizeof *a, compare_ints); B(a, 32);",
    "int a[8] = { $n, $n, $i, $n, $i, 3, $n, 3 }, s = $n & 1 ? 1 : -1; qsort_r(a, 8, sizeof *a, compare_with, &s); B(a, 32);",
    "char *a[] = { $t, $t, $t, $s, $s }; qsort(a, 5, sizeof *a, compare_strings); for (int i = 0; i < 5; i++) H(a[i]);",
    "struct { int key; char pad[3]; } a[] = { { 3, \"c\" }, { 1, \"a\" }, { 2, \"b\" }, { 0, \"z\" } }; qsort(a, 4, sizeof *a, compare_ints); for (int i = 0; i < 4; i++) { R(a[i].key); H(a[i].pad); }",
    "unsigned seed = $i; for (int i = 0; i < 5; i++) { int r = rand(); R(r >= 0 && r <= RAND_MAX); r = rand_r(&seed); R(r >= 0 && r <= RAND_MAX); R(random() >= 0); double d = drand48(); R(d >= 0 && d < 1); }",
    "char b[40]; int r = snprintf(b, $n, \"%g %e %a\", $d, $d, $d); R(r > 0); R(strnlen(b, 40) < 10 || b[0] != 0 || 1);",
    "struct timespec a, b; R(clock_gettime(CLOCK_REALTIME, &a)); R(a.tv_nsec >= 0 && a.tv_nsec < 1000000000); R(clock_gettime(99, &a)); E;",
    "time_t t, u = time(&t); R(u == t); R(u >= 0); struct tm tm; localtime_r(&t, &tm); R(tm.tm_mon >= 0 && tm.tm_mon < 12 && tm.tm_mday >= 1 && tm.tm_mday <= 31 && tm.tm_sec <= 60);",
    "int q = 0; D(remquo($j * 3.5, $j, &q)); R(q & 3); D(remquof($j * 0.75f, $j, &q)); R(q & 3); D(remquo($h, $j, &q)); R(q & 3); D(drem($g, $j)); D(dremf($f, $f));",
    "D(fabs(sin($g)) <= 1); R(exp($g) >= 0); double x = $g; R(!isfinite(x) || cosh(x) >= 1); R(sqrt(x * x) >= 0 || x != x);",
];
