//! What the parser makes of pieces of C, shown as S-expressions ([`show`]).

mod errors;
mod fuzz;
mod limits;
mod show;

use super::*;

/// The items of a text that has no errors, in short.
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut files = Files::default();
    let parsed = parse_unit(text, "t.i", false, &mut files);
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(show::items(&parsed.items), expected, "{text}");
}

/// An expression, in a scope where `T` is a type.
#[track_caller]
fn check_expr(text: &str, expected: &str) {
    let unit = format!("typedef int T; void f(void) {{ {text}; }}");
    check(&unit, &format!("(typedef T int) (fun f (void) -> void {{ {expected} }})"));
}

/// Statements of a function.
#[track_caller]
fn check_stmt(text: &str, expected: &str) {
    check(&format!("void f(void) {{ {text} }}"), &format!("(fun f (void) -> void {{ {expected} }})"));
}

#[test]
fn operators() {
    check_expr("a + b * c - d", "(- (+ a (* b c)) d)");
    check_expr(
        "a || b && c | d ^ e & f == g < h << i + j",
        "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i j)))))))))",
    );
    check_expr("a = b += c ? d : e ? g : h", "(= a (+= b (?: c d (?: e g h))))");
    check_expr("a ?: b, c", "(, (?: a b) c)");
    check_expr("-!~*&a++", "(- (! (~ (* (& (a++))))))");
    check_expr("++a[b].c->d(e, g)", "(++ (call (-> (. (index a b) c) d) e g))");
    check_expr("a ? b, c : d", "(?: a (, b c) d)");
}

#[test]
fn casts_and_types() {
    check_expr("(T)+1", "(cast T (+ 1))");
    check_expr("(a)+1", "(+ a 1)");
    check_expr("(T *)&a", "(cast (ptr T) (& a))");
    check_expr("sizeof(T)*a", "(* (sizeof T) a)");
    check_expr("sizeof a + 1", "(+ (sizeof a) 1)");
    check_expr("sizeof (T){1}.x", "(sizeof (. (literal T {1}) x))");
    check_expr("(T){.a = 1, [2 ... 3] = 4, b: 5, [1] 6, {}}", "(literal T {.a=1 [2...3]=4 .b=5 [1]=6 {}})");
    check_expr("__alignof__ a + _Alignof(int[3])", "(+ (alignof a) (alignof (array 3 int)))");
    check_expr("(unknown_t *)a", "(cast (ptr unknown_t) a)");
    check_expr("(unknown_t)a", "(cast unknown_t a)");
    check_expr("(unknown)(a)", "(call unknown a)");
}

#[test]
fn gnu_expressions() {
    check_expr("({ int a = 1; a; })", "(stmts (var a int = 1) a)");
    check_expr("&&out", "(label-address out)");
    check_expr("__extension__ __real__ a", "(__extension__ (__real__ a))");
    check_expr("__builtin_offsetof(struct s, a.b[1])", "(offsetof (struct s) .a .b [1])");
    check_expr("__builtin_va_arg(a, int)", "(va_arg a int)");
    check_expr("__builtin_types_compatible_p(int, T*)", "(compatible int (ptr T))");
    check_expr("__builtin_choose_expr(1, a, b)", "(choose 1 a b)");
    check_expr("_Generic(a, int: 1, default: 2)", "(generic a [int 1] [default 2])");
    check_expr("__builtin_convertvector(a, T)", "(call __builtin_convertvector a (sizeof T))");
    check_expr("\"a\" L\"b\" u8\"c\"", "\"a\" L\"b\" u8\"c\"");
}

#[test]
fn declarators() {
    check("int *a[3], (*b)[3];", "(var a (array 3 (ptr int))) (var b (ptr (array 3 int)))");
    check("int (*f(int x))(char);", "(var f (fun (x:int) (ptr (fun (char) int))))");
    check(
        "void (*signal(int, void (*)(int)))(int);",
        "(var signal (fun (int (ptr (fun (int) void))) (ptr (fun (int) void))))",
    );
    check("const int *volatile *const p;", "(var p (const ptr (volatile ptr const int)))");
    check("int a[], b[const static 3][*];", "(var a (array int)) (var b (array 3 (array int)))");
    check(
        "int f(), g(void), h(int, ...);",
        "(var f (fun (?) int)) (var g (fun (void) int)) (var h (fun (int ...) int))",
    );
    check(
        "int *_Atomic p; _Atomic(int) q; _Atomic int r;",
        "(var p (_Atomic ptr int)) (var q (atomic int)) (var r _Atomic int)",
    );
    check(
        "typedef int T; int f(int (T)), g(int T), h(T);",
        "(typedef T int) (var f (fun ((fun (T) int)) int)) (var g (fun (T:int) int)) (var h (fun (T) int))",
    );
}

#[test]
fn specifiers() {
    check("long unsigned int typedef long x;", "(typedef x long unsigned int long)");
    check("static inline __thread __const int x;", "(static inline thread var x const int)");
    check(
        "__uint128_t a; __signed__ char b; __float128 c; double _Complex d;",
        "(var a unsigned __int128) (var b signed char) (var c _Float128) (var d double _Complex)",
    );
    check(
        "__typeof__((void)0, *p) x; typeof(int *) y; __auto_type z = 1;",
        "(var x (typeof (, (cast void 0) (* p)))) (var y (typeof (ptr int))) (var z __auto_type = 1)",
    );
    check(
        "x; static y = 1; main() { }",
        "(var x implicit) (static var y implicit = 1) (fun main (?) -> implicit { })",
    );
}

#[test]
fn records_and_enums() {
    check(
        "struct s { int a, *b; unsigned c : 3, : 0; struct { int d; }; } x;",
        "(var x (struct s {a:int b:(ptr int) c:unsigned:3 _:unsigned:0 _:(struct {d:int})}))",
    );
    check(
        "union u; struct {} e; struct s { int x; ; };",
        "(type (union u)) (var e (struct {})) (type (struct s {x:int}))",
    );
    check(
        "enum e { A, B = 2, } x; enum { C }; enum f : char { D };",
        "(var x (enum e {A B=2})) (type (enum {C})) (type (enum f {D} @underlying<char>))",
    );
    check(
        "#pragma pack(push, 1)\nstruct s { int a; };\n#pragma pack(pop)\nstruct t { int a; };",
        "(type (struct s {a:int} pack1)) (type (struct t {a:int}))",
    );
    check(
        "struct s { _Static_assert(1, \"\"); int a; _Alignas(8) int b; };",
        "(type (struct s {a:int b:int@alignas(8)}))",
    );
}

#[test]
fn attributes() {
    check("struct __attribute__((packed)) S { int x; };", "(type (struct S {x:int} @packed))");
    check(
        "struct S { int x; } __attribute__((__aligned__(8), __packed__));",
        "(type (struct S {x:int} @aligned(8) @packed))",
    );
    check(
        "int f(void) __asm__(\"g\") __attribute__((malloc(free, 1)));",
        "(var f (fun (void) int)@asm(\"g\")@malloc(free 1))",
    );
    check(
        "__attribute__((noreturn)) void f(void), * __attribute__((unused)) g(void);",
        "(var f (fun (void) void)@noreturn) (var g (fun (void) (ptr void))@unused@noreturn)",
    );
    check(
        "[[noreturn]] void f(void); [[gnu::packed, deprecated(\"x\")]] int y;",
        "(var f (fun (void) void)@noreturn) (var y int@packed@deprecated(\"x\"))",
    );
    check(
        "int x __attribute__((aligned(sizeof(long)), optimize(1 2 3), mode(__DI__)));",
        "(var x int@aligned((sizeof long))@optimize@mode(__DI__))",
    );
    check(
        "__declspec(optimize(4)) int x; int (__attribute__((cdecl)) f)(void);",
        "(var x int@optimize(4)) (var f (fun (void) int)@cdecl)",
    );
    check("int x __attribute__(()); _Alignas(long) char c;", "(var x int) (var c char@alignas<long>)");
}

#[test]
fn initialisers() {
    check(
        "int a = 1, b[] = {1, {2}, }, c[] = {};",
        "(var a int = 1) (var b (array int) = {1 {2}}) (var c (array int) = {})",
    );
    check(
        "struct s x = {.a.b[1] = 2, c: 3, [1 ... 2] = 4};",
        "(var x (struct s) = {.a.b[1]=2 .c=3 [1...2]=4})",
    );
}

#[test]
fn functions() {
    check(
        "int f(a, b) int a; char *b; { return a; }",
        "(fun f (a b) -> int [a:int b:(ptr char)] { (return a) })",
    );
    check(
        "int f(int T) { return (T)+1; } typedef int T;",
        "(fun f (T:int) -> int { (return (+ T 1)) }) (typedef T int)",
    );
    check(
        "typedef int T; int f(int T) { return (T)+1; }",
        "(typedef T int) (fun f (T:int) -> int { (return (+ T 1)) })",
    );
    check(";;int f(void){};", "(fun f (void) -> int { })");
    check(
        "asm(\"nop\"); _Static_assert(1); static_assert(2, \"m\");",
        "(asm \"nop\") (static-assert 1) (static-assert 2)",
    );
    check_stmt("int g(int x) { return x; } g(1);", "(fun g (x:int) -> int { (return x) }) (call g 1)");
}

#[test]
fn scopes() {
    let unit = "typedef int T; void f(void) { T * a; { int T = 2; T * a; } T * a; enum { T }; T * a; }";
    let body = "(var a (ptr T)) { (var T int = 2) (* T a) } (var a (ptr T)) (type (enum {T})) (* T a)";
    check(unit, &format!("(typedef T int) (fun f (void) -> void {{ {body} }})"));
    let unit = "typedef int T; void f(void) { for (int T = 0; T * 1; ) ; T T; T: T * 1; }";
    let body = "(for (var T int = 0) (* T 1) _ ;) (var T T) (label T (* T 1))";
    check(unit, &format!("(typedef T int) (fun f (void) -> void {{ {body} }})"));
    let unit = "typedef int T; void g(int T, int x[T * 2]); struct s { T T; T u; }; T v;";
    let items = "(typedef T int) (var g (fun (T:int x:(array (* T 2) int)) void)) \
                 (type (struct s {T:T u:T})) (var v T)";
    check(unit, items);
}

#[test]
fn statements() {
    check_stmt("if (a) b; else if (c) d; else e;", "(if a b (if c d e))");
    check_stmt("if (a) if (b) c; else d;", "(if a (if b c d))");
    check_stmt(
        "for (;;) { break; } for (a = 1; b; c) continue;",
        "(for _ _ _ { (break) }) (for (= a 1) b c (continue))",
    );
    check_stmt("do a; while (b); while (c) ;", "(do a b) (while c ;)");
    check_stmt(
        "switch (a) { case 1: case 2 ... 3: b; default: }",
        "(switch a { (case 1 (case 2...3 b)) (default ;) })",
    );
    check_stmt(
        "a: b: goto a; c: int d; return; return e; f: ",
        "(label a (label b (goto a))) (label c (var d int)) (return) (return e) (label f ;)",
    );
}

#[test]
fn gnu_statements() {
    check_stmt(
        "__label__ a, b; a: __attribute__((unused)); b: __attribute__((unused)) int c; d: ",
        "; (label a ;) (label b (var c int@unused)) (label d ;)",
    );
    check_stmt("__attribute__((fallthrough)); [[fallthrough]];", "; ;");
    check_stmt("goto *a; a: ;", "(goto* a) (label a ;)");
    check_stmt(
        "asm volatile (\"x\" \"y\" : \"=r\"(a), [n] \"+m\"(b) : \"r\"(c) : \"memory\", \"cc\");",
        "(asm \"x\" \"y\" out a out b in c clobber \"memory\" clobber \"cc\")",
    );
    check_stmt(
        "asm goto (\"j\" : : : : l1, l2); asm(\"mfence\" ::: \"memory\"); __asm__ __volatile__ (\"\");",
        "(asm \"j\" goto l1 goto l2) (asm \"mfence\" clobber \"memory\") (asm \"\")",
    );
    check_stmt("_Static_assert(1, \"x\");", "(static-assert 1)");
}

#[test]
fn undeclared_types() {
    check(
        "foo_t x; foo_t *f(bar_t, baz_t *p); const qux_t y = 1;",
        "(var x foo_t) (var f (fun (bar_t p:(ptr baz_t)) (ptr foo_t))) (var y const qux_t = 1)",
    );
    check(
        "size_t x; pthread_mutex_t m; FILE *f;",
        "(var x size_t) (var m pthread_mutex_t) (var f (ptr FILE))",
    );
    check_stmt(
        "foo_t x; a * b; bar_t y = 1, *z; bar_t *w;",
        "(var x foo_t) (* a b) (var y bar_t = 1) (var z (ptr bar_t)) (var w (ptr bar_t))",
    );
}

#[test]
fn presumed_positions() {
    let text = "# 1 \"x.c\"\nint a;\n# 7 \"y.h\" 1\nint b;\n\nint c;\n";
    let mut files = Files::default();
    let parsed = parse_unit(text, "x.i", false, &mut files);
    let places: Vec<_> = parsed
        .items
        .iter()
        .map(|item| match item {
            External::Decl(declaration) => parsed.unit.span(declaration.declarators[0].declarator.at),
            _ => panic!("{item:?} should be a declaration"),
        })
        .map(|span| (files.name(span.file), span.line, span.col))
        .collect();
    assert_eq!(places, [("x.c", 1, 5), ("y.h", 7, 5), ("y.h", 9, 5)]);
}
