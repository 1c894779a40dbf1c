//! Random C programs that may have undefined behaviour of the kinds that the sanitizers of compilers find: heap, frames, blocks, strings, arithmetic, and threads.
//!
//! A program is one function of straight-line statements, some of which go wrong depending on what came before: a pointer dangles after `free` or the end of a block, an
//! index is one too large, a shift is as wide as its type. There are no inputs, and a thread is joined before anything else happens, so that every program has one execution,
//! and a sanitizer sees the same as the interpreter. Everything is initialised, because AddressSanitizer does not look for that. Distances are small: a sanitizer misses
//! accesses that jump over its red zones into another object. Nor does it see that a variable of a block is another one in the next iteration.

use std::fmt::Write;
use testkit::Random;

/// What all programs of a file need.
pub const PRELUDE: &str = r#"typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), pthread_join(pthread_t, void **);
extern void *malloc(unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long), *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern char *strcpy(char *, const char *);
extern int atoi(const char *);
struct node { int v; struct node *next; };
struct parts { int a[3]; int b; char c[4]; };
static int ga[4], gx, *gp;
static struct node *gl;
static int *kept[2];
static struct parts gs;
static int m[2][3];
static char text[12] = "abcdefg";
static int *pass(int *p) { return p; }
static void put(int *p, int v) { *p = v; }
static void keep(int v) { int x = v; gp = &x; put(gp, v & 3); }
static int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s & 7; }
static void *worker(void *arg) { int *p = arg; *p = *p & 3; return p; }
static void *keeper(void *arg) { int x = 1; gp = &x; *(int *)arg = x; return 0; }
"#;

/// The function `name` of the program of this number.
pub fn program(seed: u64, name: &str) -> String {
    let mut r = Random(seed);
    let n = 1 + r.below(4);
    let mut text = format!("static int {name}(void) {{\n");
    let locals = "  int a[3] = {0, 1, 2}, *p = ga, *q = a, t = 1, n = 1;\n  char s[8] = \"xyz\";\n  double d = 1.5;\n  pthread_t thread;\n";
    text += locals;
    let _ = writeln!(text, "  int *h = malloc({n} * sizeof(int));\n  if (!h) return 0;");
    let _ = writeln!(text, "  for (int i = 0; i < {n}; i++) h[i] = i;");
    for _ in 0..3 + r.below(8) {
        let _ = writeln!(text, "  {}", statement(&mut r));
    }
    text + r.pick(&["", "  kept[0] = h;\n"]) + "  return t & 1;\n}\n"
}

fn statement(r: &mut Random) -> String {
    // Most indices are small, some are just outside.
    let i = if r.below(3) == 0 { r.below(6) } else { r.below(3) };
    let k = r.below(4);
    match r.below(43) {
        0 => "p = h;".to_owned(),
        1 => "q = p;".to_owned(),
        2 => format!("p = ga + {};", i.min(4)),
        3 => format!("*p = {i};"),
        4 => "t += *q & 7;".to_owned(),
        5 => format!("a[{}] = t & 3;", i.min(2)),
        6 => format!("p[{i}] = 1;"),
        7 => format!("t += q[{i}] & 7;"),
        8 => format!("put(p, {i});"),
        9 => format!("t += sum(q, {i});"),
        10 => format!("keep({i});"),
        11 => "if (gp) p = gp;".to_owned(),
        12 if r.below(2) == 0 => "free(h);".to_owned(),
        12 => "n++;".to_owned(),
        13 => "q = pass(p);".to_owned(),
        14 => format!(
            "{{ struct node *e = malloc(sizeof *e); if (!e) return 0; e->v = {i}; e->next = gl; gl = e; }}"
        ),
        15 => "if (gl) t += gl->v;".to_owned(),
        16 => "if (gl) { struct node *e = gl; gl = gl->next; free(e); }".to_owned(),
        17 => format!("memset(s, {i}, {});", if r.below(4) == 0 { 9 } else { 7 }),
        18 => "p = &gx;".to_owned(),
        19 => format!("if (t > {i}) {{ p = a; t = 0; }}"),
        20 => format!("{{ int b = {i}; p = &b; *p = 1; }}"),
        21 => "for (int j = 0; j < 2; j++) { int b = j; if (j == 0) t += *p & 3; p = &b; }".to_owned(),
        22 => format!("n = {i};"),
        23 => "gs.a[n] = 1;".to_owned(),
        24 => "t += m[n & 1][n];".to_owned(),
        25 => "{ struct parts *w = &gs; w->a[n & 3] = 2; t += w->b; }".to_owned(),
        26 => "t = 6 / (n - 2);".to_owned(),
        27 => format!("t = 1 << (n * {});", 8 + k),
        28 => "t = (-2147483647 - n) / (n - 2 ? 1 : 3);".to_owned(),
        29 => "t = 2147483645 + n; t &= 7;".to_owned(),
        30 => format!("d *= {};", r.pick(&["2", "1e5", "1e9", "-3"])),
        31 => "t = (int)d; t &= 7;".to_owned(),
        32 => "t += *(short *)(text + n) & 7;".to_owned(),
        33 => "strcpy(s, text + (n & 7));".to_owned(),
        34 => "s[n + 3] = 'a';".to_owned(),
        35 => "memcpy(text, text + n, 3);".to_owned(),
        36 => "memmove(text, text + (n & 3), 3);".to_owned(),
        37 => "if (pthread_create(&thread, 0, worker, p)) return 0; pthread_join(thread, 0);".to_owned(),
        38 => "if (pthread_create(&thread, 0, keeper, &gx)) return 0; pthread_join(thread, 0);".to_owned(),
        40 => "kept[n & 1] = h;".to_owned(),
        41 => "if (gl) gl->next = 0;".to_owned(),
        39 => "{ int v[n]; v[0] = 1; t += v[0]; }".to_owned(),
        _ => "t = t % (n - 1); t = -t & 7;".to_owned(),
    }
}
