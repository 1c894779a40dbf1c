//! Messages about broken programs, and what is parsed in spite of them.

use super::*;

/// All messages as `line:column: message`, and how many items were parsed.
#[track_caller]
fn check_errors(text: &str, expected: &[&str], n_items: usize) {
    let mut files = Files::default();
    let parsed = parse_unit(text, "t.i", false, &mut files);
    let found: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|it| format!("{}:{}: {}", it.span.line, it.span.col, it.message))
        .collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(parsed.items.len(), n_items, "{text}");
}

#[test]
fn declarations() {
    check_errors("int a b;\nint c;", &["1:7: expected `;` after declaration, found `b`"], 1);
    check_errors("int a\nint c;\nint d;", &["2:1: expected `;` after declaration, found `int`"], 1);
    check_errors(
        "int f(int x)\nint g(void) { }\nint h;",
        &["2:1: expected `;` after declaration, found `int`"],
        1,
    );
    check_errors("}\nint a;", &["1:1: expected declaration, found `}`"], 1);
    check_errors("int a[3;\nint b;", &["1:8: expected `]` after array size, found `;`"], 1);
    check_errors(
        "struct s { int a b; int c; } x;\nint d;",
        &["1:18: expected `;` after field, found `b`"],
        2,
    );
    check_errors("int a = {1, {2;\nint b;", &["1:15: expected `}` after initialisers, found `;`"], 0);
    check_errors("int a = {1, 2 3};\nint b;", &["1:15: expected `}` after initialisers, found `3`"], 1);
    check_errors("int f(int a, ) { }\nint b;", &["1:14: expected parameter, found `)`"], 1);
    check_errors("struct 3 x;\nint b;", &["1:8: expected tag or `{`, found `3`"], 1);
    check_errors("return 1;\nint b;", &["1:1: expected declaration, found `return`"], 1);
}

#[test]
fn statements() {
    let in_function = |body: &str| format!("void f(void) {{\n{body}\n}}\nint last;");
    let check_body = |body: &str, expected: &[&str]| check_errors(&in_function(body), expected, 2);
    check_body(
        "a = 1\nb = 2;\nc = ;",
        &["3:1: expected `;` after expression, found `b`", "4:5: expected expression, found `;`"],
    );
    check_body("if (a b(); else c();", &["2:7: expected `)`, found `b`"]);
    check_body("for (i = 0 i < n; i++) { g(); }", &["2:12: expected `;` in `for`, found `i`"]);
    check_body("while a { g(); }", &["2:7: expected `(` after `while`, found `a`"]);
    check_body("g(1, ; h();", &["2:6: expected expression, found `;`"]);
    check_body(
        "x = (1 + ; { int y z; }",
        &["2:10: expected expression, found `;`", "2:20: expected `;` after declaration, found `z`"],
    );
    check_body("do { } g();", &["2:8: expected `while` after body of `do`, found `g`"]);
    check_body(
        "goto 1; case : ;",
        &["2:6: expected label after `goto`, found `1`", "2:14: expected expression, found `:`"],
    );
    check_body("x = y @ z;", &["2:7: stray `@` in program", "2:9: expected `;` after expression, found `z`"]);
    check_body(
        "s = \"abc;\nt = 1;",
        &["2:5: missing closing `\"`", "3:1: expected `;` after expression, found `t`"],
    );
}

#[test]
fn ends_of_files() {
    check_errors("void f(void) {\n  { g();\n", &["3:1: expected `}`, found end of file"], 0);
    check_errors("int a", &["1:6: expected `;` after declaration, found end of file"], 0);
    check_errors("int a; /* b", &["1:8: unterminated comment"], 1);
    check_errors("", &[], 0);
    let mut files = Files::default();
    let parsed = parse_unit("void f(void) {\n  { g();\n", "t.i", false, &mut files);
    assert_eq!(parsed.diagnostics[0].help.as_deref(), Some("it begins at t.i:2:3"));
}

#[test]
fn directives() {
    check_errors("#include <x.h>\nint a;", &["1:1: unexpected directive `#include` in preprocessed text"], 1);
    check_errors("#define X 1\nint a;", &["1:1: ignored `#define` in preprocessed text"], 1);
}

#[test]
fn marks_cover_the_token() {
    let mut files = Files::default();
    let parsed = parse_unit("int a bcd;", "t.i", false, &mut files);
    let diagnostic = &parsed.diagnostics[0];
    assert_eq!((diagnostic.mark_len, diagnostic.line_text.as_str()), (3, "int a bcd;"));
    assert_eq!(diagnostic.file, "t.i");
}

#[test]
fn too_many_errors() {
    for text in ["int a b;\n".repeat(100), "@ ".repeat(100), "void f() { 1 2; }\n".repeat(100)] {
        let mut files = Files::default();
        let parsed = parse_unit(&text, "t.i", false, &mut files);
        assert_eq!(parsed.diagnostics.len(), MAX_ERRORS + 1);
        assert!(parsed.diagnostics[MAX_ERRORS].message.contains("too many errors"));
    }
}
