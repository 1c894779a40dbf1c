//! Deep nesting is refused, long chains are not, and neither overflows the stack.

use super::*;

/// Runs with the stack of a main thread, which is what the limits promise to need at most.
fn with_main_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn_scoped(scope, run);
        thread.expect("a thread should start").join().expect("the thread should end well")
    })
}

fn messages(text: &str) -> Vec<String> {
    with_main_stack(|| {
        let mut files = Files::default();
        parse_unit(text, "t.i", false, &mut files).diagnostics.into_iter().map(|it| it.message).collect()
    })
}

/// `open` n times, `middle`, `close` n times.
fn nest(n: usize, open: &str, middle: &str, close: &str) -> String {
    [open.repeat(n), middle.to_owned(), close.repeat(n)].concat()
}

#[test]
fn deep_nesting() {
    let nests: &[(&str, &str, &str, &str, &str)] = &[
        ("int x = ", "(", "1", ")", ";"),
        ("int x = ", "- ", "1", "", ";"),
        ("int x = ", "sizeof ", "1", "", ";"),
        ("int x = ", "(int)", "1", "", ";"),
        ("int x = ", "f(", "1", ")", ";"),
        ("int x = ", "a[", "1", "]", ";"),
        ("int x = ", "({", "1;", ";})", ";"),
        ("int x = ", "(int){", "1", "}", ";"),
        ("int x = ", "a ? ", "1", " : 2", ";"),
        ("int x = ", "{", "1", "}", ";"),
        ("int x = ", "_Generic(", "1", ", default: 1)", ";"),
        ("int ", "(*", "x", ")", ";"),
        ("int x", "(int (*)", "", ")", ";"),
        ("", "struct {", "int x;", "} y;", ""),
        ("", "typeof(", "int", ")", " x;"),
        ("", "_Atomic(", "int", ")", " x;"),
        ("int x __attribute__((annotate", "(b", "", ")", "));"),
        ("int x ", "__attribute__((aligned(sizeof(int ", "", "))))", ";"),
        ("void f() ", "{", "", "}", ""),
        ("void f() {", "if (1) ", ";", "", "}"),
        ("void f() {", "if (1) {", ";", "} else {}", "}"),
        ("void f() {", "for (;;) ", ";", "", "}"),
        ("void f() {", "do ", ";", " while (1);", "}"),
        ("void f() {", "int g() {", "", "}", "}"),
        ("void f() {", "a: { case 1: ", ";", "}", "}"),
        ("", "enum { A = sizeof(", "1", ") }", " x;"),
    ];
    for (before, open, middle, close, after) in nests {
        let text = |n: usize| [*before, &nest(n, open, middle, close), *after].concat();
        assert_eq!(messages(&text(100)), [""; 0], "{}", text(1));
        for n in [2_000, 100_000] {
            let found = messages(&text(n));
            // Brackets in attributes are skipped rather than parsed, at any depth.
            let skipped = text(1).contains("__attribute__");
            let refused = found.first().is_some_and(|it| it == "nesting too deep (limit 500)");
            assert!(refused || skipped, "{}: {found:?}", text(1));
            assert!(found.len() <= MAX_ERRORS + 1, "{found:?}");
        }
    }
}

#[test]
fn just_below_the_limit() {
    assert_eq!(messages(&format!("int x = {};", nest(498, "(", "1", ")"))), [""; 0]);
    assert_eq!(messages(&format!("void f() {}", nest(499, "{", "", "}"))), [""; 0]);
}

#[test]
fn long_chains() {
    let chains: &[(&str, &str, &str)] = &[
        ("int x = 1", " + 1", ";"),
        ("int x = (1", ", 1", ");"),
        ("int x = a", ".b", ";"),
        ("int x = a", "[1]", ";"),
        ("int x = ", "a = ", "1;"),
        ("int x = ", "a ? b : ", "1;"),
        ("void f() { ", "if (a) b; else ", "c; }"),
        ("void f() { ", "case 1: ", "c; }"),
        ("void f() { ", "a: ", "c; }"),
    ];
    for (before, link, after) in chains {
        let text = |n: usize| [before, link.repeat(n).as_str(), after].concat();
        assert_eq!(messages(&text(9_990)), [""; 0], "{}", text(1));
        let found = messages(&text(100_000));
        assert_eq!(found.len(), 1, "{}: {found:?}", text(1));
        assert!(found[0].contains("too long (limit 10000)"), "{found:?}");
    }
}

/// A chain in brackets in a chain in brackets: heights add up, and the sum is what is limited.
#[test]
fn chains_of_chains() {
    let link = " + 1".repeat(1_000) + ")";
    let text = format!("int x = {}1{};", "(".repeat(100), link.repeat(100));
    let found = messages(&text);
    assert!(found.len() == 1 && found[0].contains("too long"), "{found:?}");
    // Beside each other they do not.
    assert_eq!(
        messages(&format!("int x[] = {{{}}};", format!("1{}, ", " + 1".repeat(1_000)).repeat(100))),
        [""; 0]
    );
}

#[test]
fn long_lists() {
    let texts = [
        format!("char *x = {};", "\"a\" ".repeat(100_000)),
        format!("int x[] = {{{}}};", "1, ".repeat(100_000)),
        format!("int x = f(0{});", ", 1".repeat(100_000)),
        format!("int {}x;", "*".repeat(100_000)),
        format!("int x{};", "[1]".repeat(100_000)),
        format!("int x{};", ", x".repeat(100_000)),
        format!("void f() {{ {} }}", "g();".repeat(100_000)),
        format!("int {} x;", "const ".repeat(100_000)),
        format!("struct {{ {} }} x;", "int x;".repeat(100_000)),
    ];
    for text in texts {
        assert_eq!(messages(&text), [""; 0], "{}", &text[..20]);
    }
}
