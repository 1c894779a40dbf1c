//! Which mistakes are errors, and what is let through.

use super::analyze_units;
use program::DataModel;
use report::Level;

/// The error messages of a text; empty if it is accepted.
fn errors(text: &str) -> Vec<String> {
    let (module, diagnostics) = analyze_units(&[("test.c", text)], DataModel::Ilp32);
    let errors: Vec<_> =
        diagnostics.into_iter().filter(|d| d.level == Level::Error).map(|d| d.message).collect();
    assert_eq!(module.is_none(), !errors.is_empty(), "{text}");
    errors
}

fn check_rejected(body: &str, message: &str) {
    let found = errors(&format!(
        "struct S {{ int a; unsigned f : 3; }} s; struct U *u; int g, *p; void v(void); int one(int);\nint main() {{ {body} }}"
    ));
    assert!(found.len() == 1 && found[0].contains(message), "{body}: {found:?}");
}

#[test]
fn what_gcc_rejects_is_an_error() {
    for (body, message) in [
        ("return x;", "'x' is not declared"),
        ("return s.b;", "no member 'b'"),
        ("struct R { struct R r; } r = { 0 };", "incomplete"),
        ("struct R { struct R r[2]; } r = { 0 };", "incomplete"),
        ("struct R { int n; struct R r[]; } r = { 0, 0 };", "incomplete"),
        ("return u->b;", "not known"),
        ("1 = 2;", "assigned"),
        ("(g + 1)++;", "assigned"),
        ("switch (g) { case 1: case 2: case 1: ; }", "duplicate case"),
        ("switch (g) { case 1 ... 5: case 3: ; }", "duplicate case"),
        ("switch (g) { default: default: ; }", "two defaults"),
        ("switch (g) { case g: ; }", "constant"),
        ("break;", "outside"),
        ("continue;", "outside"),
        ("goto nowhere;", "not defined"),
        ("a: ; a: ;", "twice"),
        ("return *g;", "no pointer"),
        ("return g();", "no function"),
        ("return one();", "too few"),
        ("return one(1, 2);", "too many"),
        ("return s + 1;", "operands"),
        ("return &s.f == 0;", "bit-field"),
        ("g = v();", "void value"),
        ("p = &(g + 1);", "address of a value"),
        ("int l; int l;", "redeclaration"),
        ("_Static_assert(sizeof(int) == 8, \"\");", "static assertion"),
        ("static int z = g;", "should be constant"),
        ("struct U w;", "size"),
        ("int a[2] = { [2] = 1 };", "out of bounds"),
        ("if (s) ;", "condition"),
        ("int a[1 << 30]; (void)a;", "larger than memory"),
        ("__CPROVER_frob(1);", "not known"),
        ("__VERIFIER_atomic_none();", "not known"),
        ("__VERIFIER_assume();", "takes a condition"),
        ("int l __attribute__((cleanup(nowhere)));", "not declared"),
        ("int l __attribute__((mode(XX)));", "no model"),
    ] {
        check_rejected(body, message);
    }
}

#[test]
fn every_mistake_of_a_body_is_reported() {
    let found = errors("int main() { a = 1; b(c); d->e = f.g; return h; }");
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(errors("int f;").len(), 1, "the entry should be missed");
}

#[test]
fn what_gcc_warns_about_is_accepted() {
    for text in [
        "int main() { undeclared(1); undeclared(2, 3); return 0; }",
        "main() { return 0; }",
        "int *p; int main() { p = 5; return p; }",
        "int main() { char *c; int *i = c; c = i; return i == c; }",
        "int f(a, b) char a; float b; { return a + b; } int main() { return f(1, 2.0) + f(1); }",
        "extern int pthread_create(unsigned long *, void *, void *(*)(void *), void *); void t() {} int main() { unsigned long i; pthread_create(&i, 0, t, 0); return 0; }",
        "int main() { f(1); return 0; } void f(char c) {}",
        "int f() { return; } void g() { return 1; } int main() { g(); return f(); }",
        "struct never; struct never *n; int main() { return n != 0; }",
        "int f(); int main() { return f(1, 2.0f) + f(); }",
        "void e() { missing(); } int main() { return 0; }",
        "int main() { int x = ({ __label__ l; goto l; l: 1; }); x += ({ __label__ l; goto l; l: 2; }); return x; }",
        "int main() { void *a[] = { &&x, &&y }; goto *a[1]; x: y: return 0; }",
        "typedef int T; int f(int T) { return (T) + 1; } int main() { return f(1); }",
        "int main(int c, char **v) { int a[c]; a[0] = sizeof a; int (*p)[c] = &a; return a[c - 1]; }",
        "void f(int n, int a[n][n]) {} int main() { return 0; }",
        "union w { int *i; void *v; } __attribute__((transparent_union)); int f(union w u) { return 0; } int main() { return f((int *)0); }",
        "struct s { int a[3]; } f(void); int main() { return f().a[1]; }",
        "int main() { int x = 1; return x ?: 2; }",
        "int main() { __auto_type x = 1.5; __typeof__(x) y = x; return y; }",
        "int printf(); int main() { return __builtin_expect(!!printf(\"%d\", 1), 0); }",
        "typedef float v4 __attribute__((vector_size(16))); v4 a, b; int main() { a = b; return 0; }",
        "_Atomic int a; _Atomic(long) b; int main() { a++; b += a; return a == b; }",
        "int main() { __builtin_va_list l; __builtin_va_end(l); return __builtin_va_arg(l, int); }",
        "int main() { struct { int x; } a = { 1 }, b = a; return (a = b).x; }",
        "int main() { for (int i = 0, j = 1; i < j; i++) if (i) continue; else break; do ; while (0); return __func__[0]; }",
        "extern inline __attribute__((gnu_inline)) int f(void) { return 1; } int f(void) { return 2; } int main() { return f(); }",
        "static int f(void); int main() { return f(); } static int f(void) { return 1; }",
        "int a[]; int main() { return a[0]; }",
        "enum e; enum e { A }; int main() { enum e x = A; return x; }",
        "struct t { struct t *n; } h = { &h }; int main() { return h.n == &h; }",
        "int main() { extern int z; { int z; { extern int z; return z; } } } int z;",
        "int x = 3, *y = (int *)&x, z = sizeof(x) * 2; int main() { return *y + z; }",
        "int main() { int i = 0; int a[3] = { i++, i++ }; return *(a + i) + i[a] + *a + (&a)[0][1]; }",
        "void nested(void) { } int main() { int inner(int q) { return q; } return 0; }",
    ] {
        let found = errors(text);
        assert!(found.is_empty(), "{text}\n{found:?}");
    }
}

#[test]
fn keywords_of_c23_need_no_header() {
    for text in [
        "static thread_local int n; static_assert(sizeof n == 4, \"\"); int main() { alignas(8) char c[2]; return c[0] + alignof(int); }",
        "int main() { bool b = true; void *p = nullptr; return b && !false && p == nullptr; }",
        "typedef int bool; enum { false, true }; int *nullptr; int main() { bool b = true; return b + sizeof(bool) + *nullptr; }",
    ] {
        let found = errors(text);
        assert!(found.is_empty(), "{text}\n{found:?}");
    }
}

/// The one error of two units.
fn check_conflict(first: &str, second: &str, message: Option<&str>) {
    let (_, diagnostics) = analyze_units(&[("a.c", first), ("b.c", second)], DataModel::Lp64);
    let mut errors = diagnostics.into_iter().filter(|d| d.level == Level::Error).map(|d| d.message);
    let found = errors.next();
    let is_right = match (&found, message) {
        (Some(found), Some(message)) => found.contains(message),
        (None, None) => true,
        _ => false,
    };
    assert!(is_right, "{first} {second}: {found:?}");
}

#[test]
fn units_agree_about_what_they_share() {
    let main = |text: &str| format!("{text} int main() {{ return 0; }}");
    check_conflict(&main("extern int x;"), "long x;", Some("'x' is declared with another type at a.c:1:12"));
    check_conflict(&main("extern int *x;"), "int x[2];", Some("another type"));
    check_conflict(&main("extern int x[];"), "int x[2];", None);
    check_conflict(&main("extern int x;"), "unsigned x;", None);
    check_conflict(&main("extern int x;"), "_Thread_local int x;", Some("thread-local"));
    check_conflict(&main("extern struct s { int a; } x;"), "struct t { int b; } x;", None);
    check_conflict(&main("extern struct s { int a; } x;"), "struct s { int a, b; } x;", Some("another type"));
    check_conflict(&main("int f(int);"), "int f(long x) { return 1; }", Some("another type"));
    check_conflict(&main("int f();"), "int f(long x) { return 1; }", None);
    check_conflict(
        &main("int f(void) { return 1; }"),
        "int f(void) { return 2; }",
        Some("defined at a.c:1:5"),
    );
    check_conflict(&main("static int x;"), "long x;", None);
}
