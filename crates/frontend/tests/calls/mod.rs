//! Templates of calls, and how they are filled with random arguments.
//!
//! A template is C in which `$x` stands for a random argument, fresh at every occurrence:
//!
//! | | |
//! |---|---|
//! | `$s` `$t` `$w` `$q` | a string, one of few letters, a wide one, one that looks like a number |
//! | `$c` `$n` `$N` | a character, a size up to 9, a size up to 40 |
//! | `$i` `$l` `$j` `$h` | an `int`, a `long`, a non-zero `int`, a `long` of moderate size |
//! | `$d` `$f` `$g` | a `double`, a `float`, a `double` of moderate size |
//! | `$b` `$k` | a base for `strtol`, a character class |
//! | `$P` `$F` `$S` `$A` `$O` | arguments of `printf` with integers and strings, with `%f`, of `sscanf`, of `getopt` and `getopt_long` |
//!
//! `R` records a number, `D` a floating-point number, `C` a complex one, `B` bytes, `H` a string, `E` records `errno`, `L` the offset of a pointer.

use base::Random;

mod more;
mod templates;

/// Calls with one right answer.
pub fn exact() -> Vec<&'static str> {
    [templates::EXACT, more::EXACT].concat()
}

pub use more::CHANNELS;

/// Calls that leave a choice, whose results are the same whatever is chosen.
pub fn open() -> Vec<&'static str> {
    [templates::OPEN, more::OPEN].concat()
}

/// What every program needs.
pub const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
unsigned long long out[16384];
unsigned block_of[16384];
unsigned n_out, current;
static void record(unsigned long long value) {
  out[n_out] = value;
  block_of[n_out++] = current;
}
static void record_double(double x) {
  unsigned long long bits;
  memcpy(&bits, &x, 8);
  record(x != x ? 1 : bits);
}
static void record_bytes(const void *at, unsigned long n) {
  unsigned long long hash = n;
  for (unsigned long i = 0; i < n; i++) hash = hash * 31 + ((const unsigned char *)at)[i];
  record(hash);
}
static void record_string(const char *s) { record_bytes(s, strlen(s)); }
static void record_offset(const void *p, const void *base) {
  record(p ? (unsigned long long)((const char *)p - (const char *)base) : ~0ULL);
}
static double as_double(unsigned long long bits) { double x; memcpy(&x, &bits, 8); return x; }
static float as_float(unsigned bits) { float x; memcpy(&x, &bits, 4); return x; }
static int sign(long x) { return (x > 0) - (x < 0); }
extern char *dirname(char *), *__xpg_basename(char *);
static int calls;
static int compare_ints(const void *l, const void *r) { calls++; return (*(const int *)l > *(const int *)r) - (*(const int *)l < *(const int *)r); }
static void ignore(void *p) { (void)p; }
static int compare_with(const void *l, const void *r, void *sign) { return *(int *)sign * compare_ints(l, r); }
static int compare_strings(const void *l, const void *r) { return strcmp(*(char *const *)l, *(char *const *)r); }
static int print_list(char *to, size_t n, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vsnprintf(to, n, format, list);
  va_end(list);
  return r;
}
static int print_string(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vsprintf(to, format, list);
  va_end(list);
  return r;
}
static int allocate_string(char **to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vasprintf(to, format, list);
  va_end(list);
  return r;
}
static int print_wide(wchar_t *to, size_t n, const wchar_t *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vswprintf(to, n, format, list);
  va_end(list);
  return r;
}
static int scan_list(const char *from, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vsscanf(from, format, list);
  va_end(list);
  return r;
}
static volatile int n_signals, n_visits;
static void count_signal(int signal) { n_signals++; }
static void visit(const void *node, VISIT when, int depth) { n_visits += when == leaf || when == postorder; }
static void nothing(void) { }
static void nothing_at(int status, void *p) { }
extern int __xpg_strerror_r(int, char *, size_t);
extern int __isnan(double), __issignaling(double), __issignalingf(float), __iseqsig(double, double), __iseqsigf(float, float);
extern void *__memcpy_chk(void *, const void *, size_t, size_t), *__memmove_chk(void *, const void *, size_t, size_t), *__mempcpy_chk(void *, const void *, size_t, size_t);
extern void *__memset_chk(void *, int, size_t, size_t), *__mempcpy(void *, const void *, size_t);
extern void __explicit_bzero_chk(void *, size_t, size_t);
extern char *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t), *__strcat_chk(char *, const char *, size_t);
extern char *__strncpy_chk(char *, const char *, size_t, size_t), *__stpncpy_chk(char *, const char *, size_t, size_t), *__strncat_chk(char *, const char *, size_t, size_t);
extern int __snprintf_chk(char *, size_t, int, size_t, const char *, ...), __sprintf_chk(char *, int, size_t, const char *, ...);
extern char *__stpcpy(char *, const char *), *__stpncpy(char *, const char *, size_t), *__strdup(const char *), *__strtok_r(char *, const char *, char **);
extern int __strcasecmp(const char *, const char *);
extern double __strtod_internal(const char *, char **, int);
extern float __strtof_internal(const char *, char **, int);
extern long __strtol_internal(const char *, char **, int, int);
extern unsigned long __strtoul_internal(const char *, char **, int, int);
#define R(x) record((unsigned long long)(x))
#define D(x) record_double(x)
#define C(z) (record_double(__real__(z)), record_double(__imag__(z)))
#define B(at, n) record_bytes(at, n)
#define H(s) record_string(s)
#define E record(errno)
#define L(p, base) record_offset(p, base)
"#;

/// A template with its arguments.
pub fn instance(template: &str, r: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        text += &rest[..at];
        let kind = rest[at + 1..].chars().next().expect("a placeholder should have a letter");
        text += &argument(kind, r);
        rest = &rest[at + 2..];
    }
    text + rest
}

fn argument(kind: char, r: &mut Random) -> String {
    match kind {
        's' => string(r, "aabBzZ,; 09\t", 9),
        't' => string(r, "aabbA,", 6),
        'w' => format!("L{}", string(r, "aabBc,", 7)),
        'q' => numeral(r),
        'c' => format!("'{}'", r.pick(&["a", "b", "B", ",", ";", " ", "0", "z", "\\0", "Z"])),
        'n' => r.index(10).to_string(),
        'N' => r.index(41).to_string(),
        'i' => integer(r, 32),
        'l' => integer(r, 64),
        'j' => format!("({})", r.between(1, 40) as i64 * if r.one_in(2) { 1 } else { -1 }),
        'h' => format!("{}L", (r.number() >> r.between(20, 62)) as i64 * if r.one_in(3) { -1 } else { 1 }),
        'd' => double(r),
        'f' => float(r),
        'g' => moderate(r),
        'b' => r.pick(&["0", "0", "10", "10", "16", "8", "2", "36", "7", "1", "37", "-1"]).to_owned(),
        'k' => class(r),
        'P' => printf(r, false),
        'F' => printf(r, true),
        'S' => scanf(r),
        'A' => arguments(r),
        'O' => format!(
            "\"{}\"",
            r.pick(&["abc:", "ab:c::", "+ab:c", "-ab:c", ":ab:c", "a", "", "+:a:b:c:", "abW;"])
        ),
        other => panic!("${other} should be a placeholder"),
    }
}

fn string(r: &mut Random, letters: &str, max: usize) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let n = r.index(max + 1);
    let text: String = (0..n).map(|_| r.pick(&letters)).collect();
    format!("\"{}\"", text.replace('\t', "\\t"))
}

fn integer(r: &mut Random, bits: u32) -> String {
    let edges = if bits == 32 {
        ["0", "1", "-1", "INT_MAX", "(-INT_MAX)", "10", "-10", "255", "256", "65536"]
    } else {
        ["0L", "1L", "-1L", "LONG_MAX", "(-LONG_MAX)", "INT_MAX", "UINT_MAX", "255L", "(1L<<62)", "-10L"]
    };
    if r.one_in(2) {
        return r.pick(&edges).to_owned();
    }
    let value = (r.number() as i64) >> r.between(64 - bits as usize + 1, 63);
    if bits == 32 { format!("({value})") } else { format!("({value}L)") }
}

/// Text that is almost a number.
fn numeral(r: &mut Random) -> String {
    let space = r.pick(&["", "", " ", " \\t\\n"]);
    let sign = r.pick(&["", "", "-", "+", "- "]);
    let prefix = r.pick(&["", "", "", "0", "0x", "0X", "0b"]);
    let digits: String = match r.index(9) {
        0 => String::new(),
        1 => r
            .pick(&[
                "9223372036854775807",
                "9223372036854775808",
                "18446744073709551615",
                "18446744073709551616",
            ])
            .to_owned(),
        2 => r
            .pick(&["2147483647", "2147483648", "4294967295", "4294967296", "99999999999999999999999"])
            .to_owned(),
        3 => r
            .pick(&["7fffffffffffffff", "8000000000000000", "ffffffffffffffff", "10000000000000000"])
            .to_owned(),
        4 => (0..r.index(5)).map(|_| r.pick(&["1", "f", "8", "z", "0", "B", "g"])).collect(),
        _ => (r.number() >> r.between(30, 62)).to_string(),
    };
    let rest = r.pick(&["", "", "", " ", "x", "8", "_"]);
    format!("\"{space}{sign}{prefix}{digits}{rest}\"")
}

fn double(r: &mut Random) -> String {
    let edges = [
        "0.0",
        "-0.0",
        "1.0",
        "-1.0",
        "0.5",
        "-0.5",
        "1.5",
        "2.5",
        "-2.5",
        "0.49999999999999994",
        "INFINITY",
        "-INFINITY",
        "NAN",
        "5e-324",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "4503599627370496.5",
        "9007199254740993.0",
        "-3.0",
        "7.0",
    ];
    match r.index(4) {
        0 => r.pick(&edges).to_owned(),
        1 => format!("{}.{}", r.number() as i32, r.index(1000)),
        2 => format!(
            "as_double({:#x}ULL)",
            (r.number() & 0x800f_ffff_ffff_ffff) | (r.between(1000, 1090) as u64) << 52
        ),
        _ => format!("as_double({:#x}ULL)", r.number()),
    }
}

fn float(r: &mut Random) -> String {
    let edges = [
        "0.0f",
        "-0.0f",
        "1.0f",
        "0.5f",
        "-1.5f",
        "2.5f",
        "INFINITY",
        "-INFINITY",
        "NAN",
        "1e-45f",
        "8388609.0f",
        "3.4e38f",
    ];
    match r.index(3) {
        0 => r.pick(&edges).to_owned(),
        1 => {
            format!(
                "as_float({:#x}U)",
                (r.number() as u32 & 0x807f_ffff) | (r.between(110, 160) as u32) << 23
            )
        }
        _ => format!("as_float({:#x}U)", r.number() as u32),
    }
}

/// A `double` whose `%f` is exact in the model.
fn moderate(r: &mut Random) -> String {
    match r.index(4) {
        0 => r
            .pick(&[
                "0.0",
                "-0.0",
                "0.5",
                "1.5",
                "2.5",
                "0.125",
                "0.375",
                "99.5",
                "999.9999999",
                "-1e10",
                "INFINITY",
                "-INFINITY",
            ])
            .to_owned(),
        1 => format!("{}.{}", r.index(2000) as i32 - 1000, r.index(100_000)),
        2 => format!(
            "as_double({:#x}ULL)",
            (r.number() & 0x800f_ffff_ffff_ffff) | (r.between(970, 1082) as u64) << 52
        ),
        _ => format!("{}.0 / {}", r.number() as i32, r.between(1, 5000)),
    }
}

/// Classes of characters.
pub const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
    "xdigit",
];

fn class(r: &mut Random) -> String {
    r.pick(&CLASSES).to_owned()
}

/// A format and its arguments; with floating-point numbers if `fixed`.
fn printf(r: &mut Random, fixed: bool) -> String {
    let (mut format, mut args) = (String::new(), String::new());
    for _ in 0..r.between(1, 3) {
        format += r.pick(&["", "a", "%%", " x=", "\\n"]);
        format.push('%');
        for _ in 0..r.index(3) {
            format += r.pick(&["-", "+", " ", "#", "0"]);
        }
        if r.one_in(6) {
            format.push('*');
            args += &format!(", {}", r.index(24) as i64 - 8);
        } else if r.one_in(2) {
            format += &r.between(1, 14).to_string();
        }
        let float = fixed && r.one_in(2);
        match r.index(6) {
            0 => {
                format += ".*";
                args += &format!(", {}", r.index(14) as i64 - 3);
            }
            1 | 2 => {
                format += &format!(".{}", if r.one_in(4) { String::new() } else { r.index(12).to_string() })
            }
            _ => {}
        }
        if float {
            format += r.pick(&["f", "F", "lf"]);
            args += &format!(", {}", moderate(r));
        } else {
            conversion(r, &mut format, &mut args);
        }
    }
    format!("\"{format}{}\"{args}", r.pick(&["", "!", " end"]))
}

fn conversion(r: &mut Random, format: &mut String, args: &mut String) {
    let (length, ty) = r.pick(&[
        ("", "int"),
        ("", "int"),
        ("hh", "int"),
        ("h", "int"),
        ("l", "long"),
        ("ll", "long long"),
        ("z", "size_t"),
        ("j", "intmax_t"),
        ("t", "ptrdiff_t"),
    ]);
    match r.index(10) {
        0 => {
            format.push('c');
            *args += &format!(", {}", r.between(32, 126));
        }
        1 | 2 => {
            format.push('s');
            *args += &format!(", {}", string(r, "abcXYZ ", 8));
        }
        3 if !format.ends_with(['+', ' ']) && r.one_in(2) => {
            // A sign would be printed: the model has none for pointers.
            while format.ends_with(|c: char| "+-# 0123456789.*".contains(c))
                && format.len() > 1
                && !format.ends_with('%')
            {
                if format.ends_with('*') {
                    break;
                }
                format.pop();
            }
            if format.ends_with('*') {
                format.push('d');
                *args += &format!(", {}", integer(r, 32));
            } else {
                format.push('p');
                *args += &format!(", (void *){:#x}L", r.number() >> r.between(16, 64).min(63));
            }
        }
        _ => {
            *format += length;
            format.push(r.pick(&['d', 'i', 'u', 'x', 'X', 'o', 'd']));
            let bits = if r.one_in(2) { 32 } else { 64 };
            *args += &format!(", ({ty}){}", integer(r, bits));
        }
    }
}

/// Input, a format and targets in `slot`.
fn scanf(r: &mut Random) -> String {
    let (mut input, mut format, mut targets) = (String::new(), String::new(), String::new());
    for n in 0..r.between(1, 4) {
        input += r.pick(&["", " ", " ", "  \\t", ",", ":"]);
        input += &match r.index(6) {
            0 => r.pick(&["abc", "a", "zz9", "ab cd", "%", "-", "+x"]).to_owned(),
            1 => format!("{:#x}", r.number() >> r.between(30, 63)),
            2 => r.pick(&["", "", "99999999999999999999", "0", "017", "0x", "0xg", "-0"]).to_owned(),
            _ => ((r.number() as i64) >> r.between(32, 63)).to_string(),
        };
        format += r.pick(&["", "", " ", ",", ":", "%%"]);
        format.push('%');
        let suppress = r.one_in(8);
        format += if suppress { "*" } else { "" };
        format += &if r.one_in(3) { r.between(1, 5).to_string() } else { String::new() };
        format += &match r.index(9) {
            0 => "s".to_owned(),
            1 => "c".to_owned(),
            2 => r.pick(&["[a-z]", "[^,]", "[]a]", "[^]0-9]", "[abc-]"]).to_owned(),
            3 => r.pick(&["n", "hhn", "ln"]).to_owned(),
            _ => format!(
                "{}{}",
                r.pick(&["", "", "h", "hh", "l", "ll", "z", "j"]),
                r.pick(&["d", "i", "u", "x", "o"])
            ),
        };
        if !suppress {
            targets += &format!(", (void *)slot[{n}]");
        }
    }
    format!("\"{input}\", \"{format}\"{targets}")
}

/// The arguments of a `main`.
fn arguments(r: &mut Random) -> String {
    let some = [
        "-a",
        "-b",
        "-bval",
        "-ab",
        "-abx",
        "--",
        "--alpha",
        "--beta=1",
        "--beta",
        "--be",
        "--gamma",
        "--alphabet",
        "--al",
        "file",
        "-",
        "-c",
        "x",
        "-cx",
        "-d",
        "--unknown",
        "--alpha=3",
        "-W",
        "-Wbeta=2",
        "-alpha",
        "-be",
    ];
    let args: Vec<String> = (0..r.index(6)).map(|_| format!("\"{}\"", r.pick(&some))).collect();
    format!("{{ \"program\", {} 0 }}", args.iter().map(|a| format!("{a}, ")).collect::<String>())
}
