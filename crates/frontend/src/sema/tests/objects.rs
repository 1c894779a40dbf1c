//! Layouts, constants and static initialisers, compared byte for byte with what the system's compiler emits.

use super::module;
use crate::hir::{ConstValue, Global, Module};
use program::DataModel;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

/// The bytes of a global; addresses count as zero.
fn bytes(module: &Module, global: &Global) -> Vec<u8> {
    let size = module.types.size_of(global.ty).expect("a global should have a complete type");
    let mut bytes = vec![0u8; size as usize];
    for store in &global.init {
        let at = store.offset as usize;
        match (&store.value, store.bits) {
            (ConstValue::Int { value, .. }, Some(bits)) => {
                let mut unit = 0u128;
                for n in (0..bits.unit as usize).rev() {
                    unit = (unit << 8) | u128::from(bytes[at + n]);
                }
                let mask = ((1u128 << bits.width) - 1) << bits.shift;
                unit = (unit & !mask) | ((value << bits.shift) & mask);
                for n in 0..bits.unit as usize {
                    bytes[at + n] = (unit >> (8 * n)) as u8;
                }
            }
            (ConstValue::Int { value, size }, None) => {
                bytes[at..at + *size as usize].copy_from_slice(&value.to_le_bytes()[..*size as usize]);
            }
            (ConstValue::Bytes(text), _) => bytes[at..at + text.len()].copy_from_slice(text),
            (ConstValue::Addr(..), _) => {}
        }
    }
    bytes
}

/// The bytes of every data symbol of an assembly text.
fn assembled(assembly: &str) -> BTreeMap<String, Vec<u8>> {
    let mut symbols: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut current = String::new();
    for line in assembly.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            current = label.to_owned();
            symbols.insert(current.clone(), Vec::new());
            continue;
        }
        let (directive, rest) = line.split_once(['\t', ' ']).unwrap_or((line, ""));
        let Some(data) = symbols.get_mut(&current) else { continue };
        let size = match directive {
            ".byte" => 1,
            ".value" => 2,
            ".long" => 4,
            ".quad" => 8,
            ".zero" => {
                data.resize(data.len() + rest.trim().parse::<usize>().unwrap(), 0);
                continue;
            }
            ".string" | ".ascii" => {
                data.extend(unescaped(rest.trim()));
                data.extend((directive == ".string").then_some(0));
                continue;
            }
            _ => continue,
        };
        let value = rest.trim().parse::<i128>().unwrap_or(0);
        data.extend_from_slice(&value.to_le_bytes()[..size]);
    }
    symbols
}

fn unescaped(quoted: &str) -> Vec<u8> {
    super::super::literal::string_bytes(&[quoted]).1
}

/// Compares every global of a text with the compiler's, in both data models, where there is such a compiler.
fn check_against_compiler(text: &str) {
    for (data_model, flag) in [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")] {
        let text = match data_model {
            DataModel::Ilp32 => text.replace("__int128", "long long"),
            DataModel::Lp64 => text.to_owned(),
        };
        let names = module(&format!("{text}\nint main(void) {{ return 0; }}"), data_model);
        assert!(names.globals.is_empty(), "nothing should be reachable");
        let arguments =
            ["-w", "-std=gnu11", "-fno-common", "-fno-pic", "-S", "-o", "-", flag, "-x", "c", "-"];
        let Ok(mut compiler) = Command::new("cc")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
        else {
            return;
        };
        compiler.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = compiler.wait_with_output().unwrap();
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(!message.contains("error:") || message.contains("unrecognized"), "{text}\n{message}");
            continue;
        }
        let expected = assembled(&String::from_utf8_lossy(&output.stdout));
        compare(&text, data_model, &expected);
    }
}

fn compare(text: &str, data_model: DataModel, expected: &BTreeMap<String, Vec<u8>>) {
    let names: Vec<&String> = expected.keys().filter(|name| !name.starts_with('.')).collect();
    assert!(!names.is_empty(), "the compiler should emit something for\n{text}");
    let uses: String = names.iter().map(|name| format!("(void)&{name};")).collect();
    let module = module(&format!("{text}\nint main(void) {{ {uses} return 0; }}"), data_model);
    for name in names {
        let global = module.globals.iter().find(|global| global.name == *name).unwrap();
        assert_eq!(bytes(&module, global), expected[name], "{name} in {data_model:?} of\n{text}");
    }
}

/// Compares constant expressions (as `unsigned`, plus one) after some declarations.
fn check_constants(declarations: &str, expressions: &[&str]) {
    let list: String = expressions.iter().map(|e| format!("(unsigned)({e}) + 1,")).collect();
    check_against_compiler(&format!("{declarations}\nunsigned values[] = {{ {list} }};"));
}

fn check_records(records: &[&str]) {
    for record in records {
        let (body, members) = record.split_once('|').unwrap_or((record, ""));
        let mut expressions = vec!["sizeof(T)".to_owned(), "_Alignof(T)".to_owned()];
        expressions.extend(members.split_whitespace().map(|m| format!("__builtin_offsetof(T, {m})")));
        let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
        check_constants(&format!("typedef {body} T;"), &expressions);
    }
}

#[test]
fn records_are_laid_out_as_by_the_compiler() {
    check_records(&[
        "struct { char a; int b; char c; }|a b c",
        "struct { char a; long long b; char c; double d; char e; }|a b c d e",
        "struct { char a; long double b; short c; }|a b c",
        "struct { char a; void *p; short s[3]; char t; }|a p s t s[2]",
        "struct __attribute__((packed)) { char a; int b; long long c; }|a b c",
        "struct { char a; int b __attribute__((packed)); char c; }|a b c",
        "struct { char a; int b __attribute__((aligned(16))); char c; }|a b c",
        "struct { char a; } __attribute__((aligned(8)))|a",
        "struct { char a; int b; } __attribute__((aligned))|a b",
        "struct { }",
        "struct { char a; struct { } e; int b; }|a e b",
        "struct { int n; char f[]; }|n f",
        "struct { char n; long long f[0]; }|n f",
        "union { char a; long long b; char c[13]; }|a b c",
        "struct { char a; struct { short x; int y; }; union { char u; double v; }; char z; }|a x y u v z",
        "struct { char a; struct { char b; } c[3]; int d; }|a c[2].b d",
        "struct { char a; __int128 b; }|a b",
        "struct { char a; _Bool b; enum { X, Y } c; enum { Z = -1 } d; enum { W = 0x100000000ll } e; }|a b c d e",
        "struct { char a; int x : 3; int y : 5; short z : 9; char b; }|a b",
        "struct { char a; int : 0; char b; }|a b",
        "struct { char a; int : 7; char b; }|a b",
        "struct { char a; long long : 0; char b; }|a b",
        "struct { int x : 30; int y : 30; char c; }|c",
        "struct { char a; long long x : 40; long long y : 30; char c; }|a c",
        "struct { long long x : 33; int y : 31; int z : 2; char c; }|c",
        "struct __attribute__((packed)) { char a; int x : 30; int y : 7; char c; }|a c",
        "struct __attribute__((packed)) { char a : 3; int : 0; char c; }|c",
        "struct { char a; _Alignas(8) char b; char c; }|a b c",
        "struct { char a; _Atomic long long b; _Atomic int c; }|a c",
        "struct { float f; double d; float g; }|f d g",
        "struct { char a; _Complex double z; _Complex float w; }|a z w",
        "union { int x : 3; char c; long long y : 40; }",
        "struct { short a : 4; short b : 13; unsigned char c : 8; unsigned char d : 1; }",
    ]);
    check_constants(
        "#pragma pack(push, 2)\nstruct P { char a; int b; double c; int x : 20; int y : 20; char d; };\n#pragma pack(pop)\n\
         #pragma pack(1)\nstruct Q { char a; long long b; int x : 3; long long y : 40; char z; };\n#pragma pack()\n\
         struct R { char a; struct P p; struct Q q; };",
        &[
            "sizeof(struct P)",
            "_Alignof(struct P)",
            "__builtin_offsetof(struct P, c)",
            "__builtin_offsetof(struct P, d)",
            "sizeof(struct Q)",
            "__builtin_offsetof(struct Q, b)",
            "__builtin_offsetof(struct Q, z)",
            "sizeof(struct R)",
            "__builtin_offsetof(struct R, q)",
        ],
    );
}

#[test]
fn constants_are_evaluated_as_by_the_compiler() {
    check_constants(
        "enum E { A, B = 5, C, D = 0xffffffff, N = -3 } e; typedef int word __attribute__((mode(word)));\n\
         typedef unsigned q __attribute__((__mode__(__QI__))); struct S { int a; struct { char b[4]; short c; } d[3]; };\n\
         extern int ext[]; int ext[7]; char str[] = \"ab\\0c\"; typedef char (*fp)(int); int m[3][5];",
        &[
            "sizeof(long)",
            "sizeof(word)",
            "sizeof(q)",
            "C",
            "N",
            "D",
            "sizeof(e)",
            "sizeof ext",
            "sizeof str",
            "sizeof(fp)",
            "sizeof m",
            "sizeof m[0]",
            "sizeof(char[B])",
            "sizeof \"abc\"",
            "sizeof L\"abc\"",
            "sizeof 'a'",
            "sizeof(1 ? 1 : 1LL)",
            "-1 < 0u",
            "-1L < 0u",
            "-1LL < 0u",
            "(char)200",
            "(unsigned char)300",
            "(short)0x18000",
            "(_Bool)0.5",
            "(int)-3.9",
            "-7 / 2",
            "-7 % 2",
            "7u / 2",
            "-1 >> 1",
            "-1u >> 1",
            "1 << 30",
            "~0u",
            "~0",
            "!5",
            "!0.0",
            "0x7fffffff + 0u",
            "1 ? 2 : 3",
            "0 ? 2 : -3",
            "2 && 0",
            "0 || 3",
            "0 && 1 / 0",
            "'a'",
            "'\\377'",
            "'\\x41'",
            "'ab'",
            "'\\0'",
            "L'x'",
            "0b101",
            "017",
            "0x1F",
            "10ull",
            "4294967295",
            "2147483648 > 0",
            "0xffffffff < 0",
            "1e3",
            "0x1.8p3",
            "1.5f * 2",
            "__builtin_offsetof(struct S, d[2].c)",
            "(unsigned long)&((struct S *)0)->d[1].b[2]",
            "(char *)8 - (char *)3",
            "__builtin_types_compatible_p(int, long)",
            "__builtin_types_compatible_p(enum E, int)",
            "__builtin_choose_expr(1, 7, 8)",
            "_Generic(1.0f, float: 4, default: 5)",
            "_Generic(\"a\", char *: 1, default: 2)",
            "_Generic(1ul, unsigned long: 3, unsigned: 4, default: 5)",
            "_Alignof(double)",
            "_Alignof(long long)",
            "__builtin_constant_p(3)",
            "sizeof(struct { char a; int b; })",
            "sizeof(__typeof__(m[0][0] + 1L))",
            "sizeof(int (*)[4])",
            "sizeof(*(int (*)[4])0)",
            "sizeof(sizeof 1)",
            "(unsigned)-1 % 10",
            "1.0 / 3 > 0.333",
            "5 == 5.0",
            "__builtin_expect(5, 1)",
            "(int)sizeof(m) / (int)sizeof(m[0])",
            "-2147483647 - 1",
            "0xffffu * 0xffffu",
            "3 > 2 > 1",
            "__builtin_types_compatible_p(int[], int[3])",
            "sizeof(short) * 3 - 8 < 0",
            "(signed char)-1 == (unsigned char)255",
        ],
    );
}

#[test]
fn initialisers_fill_as_by_the_compiler() {
    for text in [
        "int a[] = { 1, 2, 3 }; int b[5] = { 1, [3] = 7, 8 }; int c[] = { [2 ... 4] = 9, 1 };",
        "char s[] = \"abc\"; char t[2] = \"abc\"; char u[6] = { \"ab\" }; char v[] = \"x\" \"y\\n\\101\"; unsigned short w[] = u\"h\\u00e9\"; unsigned x[4] = U\"hi\";",
        "struct P { int x, y; }; struct P p = { 1, 2 }; struct P q[] = { 1, 2, 3, 4, 5 }; struct P r[2] = { { .y = 3 }, [1].x = 4, 5 };",
        "struct { char c; struct { int a[2]; short s; } in; } n = { 1, 2, 3, 4 }, o = { 1, { { 2 }, 4 } }, p = { .in.a[1] = 5, 6 };",
        "union { int i; double d; } u = { 5 }, v = { .d = 1.5 }; union { struct { char a, b; }; int i; } w[2] = { { 1, 2 }, { .b = 3 } };",
        "struct { unsigned a : 3, b : 7; int : 4; int c : 9; long long d : 40; } b = { 5, 100, -3, -5 }, c = { .c = 1, .a = 2 };",
        "struct __attribute__((packed)) { char a; int x : 30; int y : 7; unsigned z : 20; char c; } k = { 1, -2, 3, 0xabcde, 5 };",
        "#pragma pack(1)\nstruct { char a; int x : 3; long long y : 60; unsigned char z : 7; char e; } k = { 1, 2, -3, 4, 5 };",
        "struct { char a; int x : 8; int y : 16; char c; short t : 5; } k = { 1, 2, 3, 4, 5 };",
        "struct { long long x : 33; int y : 31; int z : 2; char c; } k = { -7, 5, 1, 9 };",
        "struct F { int n; char f[]; }; struct F f = { 2, \"abc\" }, g = { 1, { 1, 2, 3, 4, 5 } }; struct { char c; int i[]; } h = { 1, { 2 } };",
        "float f = 1.1; double d = -2.5e-3; float g[] = { 1, 2u, 3.7f }; _Bool b = 17; char c = 300; unsigned char e = -1.0;",
        "int s = { 3 }; int t = {{ 4 }}; char *p = 0; long l = (long)1 << 20; long long m = -1; unsigned long long n = 1ull << 63;",
        "struct P { int x, y; }; struct L { struct P a, b; int z; } l = { (struct P){ 1, 2 }, { 3 }, 4 }; struct P k = (struct P){ .y = 9 };",
        "int m[2][3] = { { 1 }, { 2, 3 } }, n[2][3] = { 1, 2, 3, 4 }, o[][2] = { 1, 2, 3 }, q[2][2] = { [1][0] = 5, 6 };",
        "struct A { struct { int a, b; } x; int y; } a = { .x = { 1, 2 }, .x.b = 7, .y = 1 }, b = { .x.b = 7, .x = { 3 } };",
        "struct A { int a; int b; } x = { b: 3, a: 4 }; struct A e = {}; int z[3] = {}; struct { int a; struct { int b; }; int c; } y = { 1, 2, .b = 3, 4 };",
        "enum { N = 3 }; int t[N + 1] = { [N] = N }; char g[][4] = { \"a\", \"bcd\", \"efgh\" }; struct { char a[3]; int b; } h[] = { \"ab\", 1, \"cd\", 2 };",
        "long double x = 1.5L; long double y = -0.1; struct { char c; long double d; } z = { 1, 3 };",
        "__int128 big = (__int128)1 << 40; int sh = 1 << 31; int ov = 2147483647 + 1; unsigned w = -1;",
        "typedef struct { struct { int l; unsigned c; int k; union { int s; struct { short e, f; } g; }; } d; } M; M m = { { 0, 0, 0, { 0 } } }, o = { { 1, 2, 3, { .g = { 4, 5 } } } };",
    ] {
        check_against_compiler(text);
    }
}
