//! Several units, the library, and what is reachable.

use super::{analyze_units, module};
use crate::hir::{AddrBase, ConstValue, Module};
use program::DataModel;

fn names(module: &Module) -> (Vec<String>, Vec<String>) {
    let functions = module.functions.iter().map(|f| {
        let body = if f.body.is_some() { "" } else { "?" };
        let library = if f.library { "@" } else { "" };
        format!("{library}{}{body}", f.name)
    });
    let globals = module.globals.iter().map(|g| format!("{}{}", g.name, if g.defined { "" } else { "?" }));
    (functions.collect(), globals.collect())
}

/// `functions` and `globals` in the order of reference; `?` marks what is not defined, `@` library functions.
fn check(units: &[(&str, &str)], functions: &str, globals: &str) {
    let (module, diagnostics) = analyze_units(units, DataModel::Ilp32);
    let module = module.unwrap_or_else(|| panic!("{units:?} should be typed: {diagnostics:?}"));
    let found = names(&module);
    assert_eq!(found.0.join(" "), functions, "{units:?}");
    assert_eq!(found.1.join(" "), globals, "{units:?}");
}

#[test]
fn only_what_is_reachable_is_typed() {
    check(
        &[(
            "a.c",
            "int g, h; void bad(void) { undeclared = 1; } void f(void) { g = 1; } int main() { f(); return 0; }",
        )],
        "main f",
        "g",
    );
    check(
        &[(
            "a.c",
            "int f(void), g(void); int x; int main() { return sizeof(f()) + sizeof x + (1 ? 0 : g()); }",
        )],
        "main",
        "",
    );
    check(
        &[("a.c", "void f(void) {} void (*p)(void) = f; int y; int *q = &y; int main() { p(); return 0; }")],
        "main f",
        "p",
    );
    check(
        &[("a.c", "extern int e; int f(int); int main() { static int n; n = e; return f(n); }")],
        "main f?",
        "main.n e?",
    );
    check(
        &[(
            "a.c",
            "int f() { static int n; return n++; } int g() { static int n; { static int n; n++; } return n; } int main() { return f() + g(); }",
        )],
        "main f g",
        "f.n g.n g.n.1",
    );
}

#[test]
fn units_share_external_names() {
    check(
        &[
            ("a.c", "extern int x[]; int f(int); static int s = 1; int main() { s = 2; return f(x[1]); }"),
            ("b.c", "int x[4] = { 1, 2 }; static int s = 5; int f(int a) { return a + s; }"),
        ],
        "main f",
        "s x s.1",
    );
    check(&[("a.c", "int x; int x; int main() { return x; }"), ("b.c", "int x = 3;")], "main", "x");
}

#[test]
fn the_library_defines_what_the_user_does_not() {
    let library =
        "static int hidden; int lock(void *m) { hidden = 1; return 0; } int mine(void) { return hidden; }";
    check(
        &[
            (
                "a.c",
                "struct m { int a; } m; int lock(struct m *); int mine(void) { return 7; } int main() { return lock(&m) + mine(); }",
            ),
            ("library.c", library),
        ],
        "main @lock mine",
        "m hidden",
    );
    check(&[("library.c", library), ("a.c", "int main() { return lock(0); }")], "main @lock", "hidden");
}

#[test]
fn builtins_become_calls() {
    check(
        &[(
            "a.c",
            "long l; int i; int main() { __atomic_store_n(&i, 1, 5); return __sync_fetch_and_add(&l, 1) + __sync_fetch_and_add(&i, 1) + __builtin_strlen(\"a\") + __builtin_popcount(3) + __builtin_whatever(1); }",
        )],
        "main __atomic_store_n? __sync_fetch_and_add? __sync_fetch_and_add? strlen? __builtin_popcount? __builtin_whatever?",
        "i l",
    );
}

#[test]
fn addresses_are_constants() {
    let text = "struct S { int a; int b[4]; } s; void f(void) {} int *p = &s.b[2]; char *q = \"abc\" + 1; void (*h)(void) = &f; \
         unsigned long u = (unsigned long)&s + 4; int *r = &*(s.b + 1); struct S *z = &(struct S){ 1 }; \
         int main() { return p && q && h && u && r && z; }";
    let module = module(text, DataModel::Lp64);
    let address = |name: &str| {
        let global = module.globals.iter().find(|g| g.name == name).unwrap();
        match &global.init[0].value {
            ConstValue::Addr(base, offset) => (*base, *offset),
            other => panic!("{name} should be an address: {other:?}"),
        }
    };
    assert_eq!(address("p").1, 12);
    assert!(matches!(address("q"), (AddrBase::Str(_), 1)));
    assert!(matches!(address("h"), (AddrBase::Function(_), 0)));
    assert_eq!(address("u").1, 4);
    assert_eq!(address("r").1, 8);
    assert!(matches!(address("z"), (AddrBase::Global(_), 0)));
}

#[test]
fn names_are_linked_by_symbol() {
    let user = "extern int x asm(\"y\"); int f(void) asm(\"g\"); int main() { return x + f(); }";
    check(&[("a.c", user), ("b.c", "int y; int g(void) { return 1; }")], "main g", "y");
    check(
        &[("a.c", "int scan(void) asm(\"__isoc99_scan\"); int main() { return scan(); }")],
        "main scan?",
        "",
    );
    check(
        &[(
            "a.c",
            "int t(void) { return 1; } int u(void) __attribute__((alias(\"t\"))); int main() { return u(); }",
        )],
        "main t",
        "",
    );
    let weak = "__attribute__((weak)) int f(void) { return 1; } int main() { return f(); }";
    check(&[("a.c", weak), ("b.c", "int g; int f(void) { return g; }")], "main f", "g");
    let reference = "extern int f(void) __attribute__((weak)); int main() { return f ? f() : 0; }";
    check(&[("a.c", reference), ("b.c", "int g; int f(void) { return g; }")], "main f", "g");
    check(&[("a.c", reference)], "main", "");
}

#[test]
fn constructors_surround_the_entry() {
    let text = "__attribute__((constructor(7))) static void a(void) {} __attribute__((destructor)) void d(void) {} \
                int main() { return 0; }";
    check(&[("a.c", text)], "main a d @__threadproof_finish @__threadproof_start", "");
}
