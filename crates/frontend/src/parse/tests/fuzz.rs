//! Broken programs by the thousand: whatever the text, the parser ends, and does not panic.
//!
//! `THREADPROOF_FUZZ=100000` sets the number of cases, and `THREADPROOF_FUZZ_DIR` names a directory whose files
//! (`.c`, `.h`, `.i`, at any depth) are broken instead of the snippets below.

use super::*;
use base::Random;

const SNIPPETS: &[&str] = &[
    "typedef unsigned long size_t; struct __attribute__((packed)) s { int a : 3, : 0; union { char b[4]; float c; }; };\n\
     enum e { A = 1, B = A << 2, } x = A; static const struct s t = { .a = 1, .b = { [0 ... 3] = 'x' }, };\n",
    "# 1 \"a.c\"\n#include <x>\nint f(a, b) int a; char *b; { return a ? *b : sizeof(int[a]); }\n#pragma pack(push, 1)\n",
    "void *thread(void *arg) { pthread_mutex_lock(&m); for (int i = 0; i < 10; ++i) { x += y->z[i]--; if (x > 3) break;\n\
     else if (!x) continue; else goto out; } out: pthread_mutex_unlock(&m); return (void *)0; }\n",
    "int main(void) { switch (f()) { case 1: case 2 ... 5: g(\"a\\n\" L\"b\"); default: ; } do { x = ({ int y = 1; y; }); }\n\
     while (x ?: 0x1p-3); asm volatile (\"mfence\" : \"=r\"(x) : [n] \"r\"(y) : \"memory\"); static_assert(1, \"\"); }\n",
    "int (*signal(int, void (*)(int)))(int) __asm__(\"sig\"); _Atomic(int) *p; __typeof__((void)0, *p) q;\n\
     int z = _Generic(q, int: 1, default: __builtin_offsetof(struct s, b[1])); // comment \\\n more\n/* more */ [[noreturn]] x;\n",
];

const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "=",
    ":",
    "?",
    "...",
    "->",
    ".",
    "&&",
    "\"",
    "'",
    "\\\n",
    "/*",
    "#",
    "\n# 7 \"f\"\n",
    "\n#pragma pack(1)\n",
    "int ",
    "struct ",
    "enum ",
    "typedef ",
    "if (",
    "else ",
    "for (",
    "case ",
    "sizeof ",
    "__attribute__((",
    "_Generic(",
    "asm(",
    "__extension__ ",
    "typeof(",
    "x",
    "T",
    "1",
    "0x",
    "é",
    "\u{0}",
    "$",
    "_Alignas(",
    "_Static_assert(",
    "__builtin_offsetof(",
    "({",
    "[[",
    "%:",
    "<:",
    "u8",
    "L'",
    "\r",
];

fn mutate(seed: &str, random: &mut Random) -> String {
    let mut bytes = seed.as_bytes().to_vec();
    for _ in 0..1 + random.index(4) {
        let at = random.index(bytes.len() + 1);
        let end = (at + random.index(20)).min(bytes.len());
        match random.index(6) {
            0 => bytes.truncate(at),
            1 => _ = bytes.drain(at..end),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = random.index(bytes.len() + 1);
                _ = bytes.splice(to..to, copy);
            }
            3 if at < bytes.len() => bytes[at] ^= 1 << random.index(8),
            4 => {
                let piece = PIECES[random.index(PIECES.len())].repeat(1 + random.index(3));
                _ = bytes.splice(at..at, piece.into_bytes());
            }
            _ => {
                let piece = PIECES[random.index(PIECES.len())];
                _ = bytes.splice(at..end, piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn broken_programs() {
    let n_cases = testkit::settings::parsed("THREADPROOF_FUZZ").unwrap_or(3_000);
    let mut seeds: Vec<String> = Vec::new();
    if let Some(folder) = testkit::settings::folder("THREADPROOF_FUZZ_DIR") {
        for file in testkit::corpus::files_below(&folder, &["c", "h", "i"]) {
            let bytes = std::fs::read(&file).expect("the file should be readable");
            seeds.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    if seeds.is_empty() {
        seeds.extend(SNIPPETS.iter().map(|&text| text.to_owned()));
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in 0..n_cases {
        let text = mutate(&seeds[random.index(seeds.len())], &mut random);
        let mut files = Files::default();
        let parsed = parse_unit(&text, "t.i", false, &mut files);
        let n_errors = parsed.diagnostics.iter().filter(|it| it.level == Level::Error).count();
        assert!(n_errors <= MAX_ERRORS, "case {case}: {n_errors} errors");
        for diagnostic in &parsed.diagnostics {
            assert!(!diagnostic.message.is_empty(), "case {case}");
        }
    }
}
