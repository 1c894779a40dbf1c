//! Random C programs that may decide on memory which was never set: heap, frames, copies of structures, memory that callees set, and addresses that are published.
//!
//! A program is one function of straight-line statements without inputs, so that it has one execution; MemorySanitizer sees the same in it as the interpreter. Nothing else in it is undefined:
//! arithmetic is unsigned, because an indeterminate number may overflow, which MemorySanitizer does not mind.

use crate::Random;
use std::fmt::Write;

/// What all programs of a file need.
pub const PRELUDE: &str = r#"extern void *malloc(unsigned long);
extern void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long);
extern int atoi(const char *);
extern unsigned long strlen(const char *);
struct rec { unsigned a; char c; unsigned b; struct rec *next; };
static struct rec g, *gp;
static unsigned gx;
static void put(struct rec *p, int n) { p->a = n; }
static void both(struct rec *p, int n) { p->a = n; if (n > 1) p->b = 1; else p->b = 2; }
static void perhaps(struct rec *p, int n) { if (n > 1) p->b = n; }
static unsigned get(struct rec *p) { return p->b; }
static int fails(struct rec *p, int n) { if (n > 1) return -n; p->b = n; return 0; }
static struct rec *fresh(int n) { struct rec *r = malloc(sizeof *r); if (n > 0) { r->a = n; r->c = 1; } r->b = 3; return r; }
"#;

/// The function `name` of the program of this number.
pub fn program(seed: u64, name: &str) -> String {
    let mut r = Random(seed);
    let mut text = format!("static int {name}(void) {{\n");
    text += "  struct rec l, k, *h = malloc(sizeof *h), *p = &l;\n  unsigned v[3], t = 1, u = 2, *d;\n  struct rec w[2];\n  char s[4];\n  int n = 3, ok;\n  gp = 0; gx = 0;\n";
    for _ in 0..4 + r.below(9) {
        let _ = writeln!(text, "  {}", statement(&mut r));
    }
    text + "  return 0;\n}\n"
}

fn statement(r: &mut Random) -> String {
    let n = r.below(3);
    let object = r.pick(&["l.", "k.", "h->", "p->", "g."]);
    let whole = r.pick(&["&l", "&k", "h", "p", "&g"]);
    let member = r.pick(&["a", "b", "c"]);
    match r.below(38) {
        0..=5 => format!("{object}{member} = {n};"),
        6 => format!("v[{n}] = t;"),
        7 => "for (int i = 0; i < 3; i++) v[i] = i;".to_owned(),
        8 => format!("p = {};", r.pick(&["&l", "&k", "h"])),
        9 => format!("put({whole}, {n});"),
        10 => format!("both({whole}, {n});"),
        11 => format!("perhaps({whole}, {n});"),
        12 => format!("gp = {whole};"),
        13 => format!("p = fresh({n});"),
        14 => format!("{} = {};", r.pick(&["l", "k", "*h", "g"]), r.pick(&["l", "k", "*p", "g"])),
        15 => format!("memcpy({}, {}, sizeof(struct rec));", r.pick(&["&l", "&k"]), r.pick(&["h", "&g"])),
        16 => format!("memset({whole}, {n}, sizeof(struct rec));"),
        17 => format!("t = {object}{member};"),
        18 => format!("t += v[{n}];"),
        19 => format!("u = get({whole}) + t;"),
        20 => "if (gp) gx = gp->b + 1;".to_owned(),
        21 => format!("if ({object}{member} > {n}) u = 1;"),
        22 => format!("if (t > {n}) t = 0;"),
        23 => format!("if (u == {n}) u = 3;"),
        24 => format!("if (gx < {n}) gx = 1;"),
        36 => format!("s[{n}] = {};", r.pick(&["0", "'a'", "'b'"])),
        37 => "t = strlen(s);".to_owned(),
        26 => format!("for (int i = {}; i < {}; i++) v[i] = i;", r.below(4) / 3, 2 + r.below(2)),
        27 => {
            format!("for (unsigned i = 0; i != 3; i++) {}v[i] = 2;", r.pick(&["", "if (n > 2) ", "if (i) "]))
        }
        28 => "ok = 0; while (ok < 3) v[ok++] = 1;".to_owned(),
        29 => format!("for (int i = 0; i < 3; i++) {{ if (v[i] > {n}) t++; }}"),
        30 => format!("if (!fails({whole}, {n})) {{ if ({object}b) u = 1; }}"),
        31 => format!(
            "ok = fails({whole}, {n}); if (ok {} 0) {{ if ({object}b) u = 1; }}",
            r.pick(&["==", ">=", "!="])
        ),
        32 => format!(
            "for (unsigned long i = 0; i < 2; i++) {{ w[i].a = 1; {} }}",
            r.pick(&["", "w[i].b = 2;", "if (i) w[i].b = 2;"])
        ),
        33 => format!("if (w[n & 1].{member}) u = 4;"),
        34 => format!(
            "n = {}; d = malloc(n * sizeof(unsigned)); for (int i = 0; i < n{}; i++) d[i] = 3; if (d[n - 1]) u = 2; n = 3;",
            1 + n,
            r.pick(&["", " - 1"])
        ),
        35 => format!(
            "ok = 0; if (gx > {n}) {{ {object}b = 1; ok = 1; }} if (ok{}) {{ if ({object}b) t = 0; }}",
            r.pick(&["", " == 0"])
        ),
        _ => format!("if (v[{n}]) t = 2;"),
    }
}
