//! Records against the system compiler: random declarations have the same size, alignment, offsets and bits.
//!
//! A declaration is a `struct` or `union` of scalars, arrays, bit-fields (of width zero, too), enumerations and records, with `packed`,
//! `aligned` and `#pragma pack` anywhere they may stand. What is compared are `sizeof`, `_Alignof`, `offsetof`, and, for each bit-field,
//! the bytes of a record of zeros after the field was set to ones, the bytes of a record of ones after it was set to zero, and the value
//! that is read back. Without a C compiler the test says so and passes.
//!
//! `THREADPROOF_LAYOUTS` sets how many declarations are tried, `THREADPROOF_SEED` the first one's seed.

use base::{Idx, Random};
use frontend::{Options, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, ThreadId};
use program::passes::Overflow;
use program::{ObjectId, Width};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many declarations go into one file.
const BATCH: u64 = 100;
const PRELUDE: &str = "unsigned long long out[8192]; unsigned n_out;\n\
    static void put(unsigned long long x) { out[n_out++] = x; }\n\
    static void bytes(const void *p, unsigned long n) {\n\
      for (unsigned long i = 0; i < n; i += 8) { unsigned long long w = 0;\n\
        for (unsigned long k = 0; k < 8 && i + k < n; k++)\n\
          w |= (unsigned long long)((const unsigned char *)p)[i + k] << (8 * k);\n\
        put(w); } }\n\
    static void fill(void *p, int byte, unsigned long n) {\n\
      for (unsigned long i = 0; i < n; i++) ((unsigned char *)p)[i] = byte; }\n\
    enum small { A0, A1 }; enum wide { B0 = -1, B1 = 1LL << 40 };\n\
    enum __attribute__((packed)) tiny { C0, C1 };\n\
    typedef int aligned_int __attribute__((aligned(16)));\n\
    typedef int loose_int __attribute__((aligned(2)));\n";

const SCALARS: &[&str] = &[
    "char",
    "signed char",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "enum small",
    "enum wide",
    "enum tiny",
    "__int128",
    "aligned_int",
    "loose_int",
];
/// Types of bit-fields, and the widest that they may be.
const BIT_TYPES: &[(&str, usize)] = &[
    ("_Bool", 1),
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long", 64),
    ("unsigned long", 64),
    ("long long", 64),
    ("unsigned long long", 64),
    ("enum small", 32),
    ("enum tiny", 8),
];

/// Makes one declaration up.
struct Generator {
    random: Random,
    n_names: usize,
    /// Members that have an offset, and bit-fields, as designators from the outermost record.
    members: Vec<String>,
    bit_fields: Vec<String>,
}

impl Generator {
    fn attribute(&mut self, one_in: u64) -> String {
        if !self.random.one_in(one_in) {
            return String::new();
        }
        match self.random.index(4) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((packed, aligned({})))", 1 << self.random.index(5)),
            _ => format!(" __attribute__((aligned({})))", 1 << self.random.index(5)),
        }
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("m{}", self.n_names)
    }

    /// The body of a record whose members are reached through `path`.
    fn record(&mut self, path: &str, depth: usize) -> String {
        let kind = if self.random.one_in(4) { "union" } else { "struct" };
        let before = self.attribute(8);
        let n_members = self.random.between(1, 6);
        let body: String = (0..n_members).map(|_| self.member(path, depth)).collect();
        let after = self.attribute(5);
        format!("{kind}{before} {{ {body}}}{after}")
    }

    fn member(&mut self, path: &str, depth: usize) -> String {
        match self.random.index(10) {
            0 if depth < 2 => {
                let name = self.name();
                let inner = format!("{path}{name}.");
                let record = self.record(&inner, depth + 1);
                let attribute = self.attribute(6);
                self.members.push(format!("{path}{name}"));
                format!("{record} {name}{attribute}; ")
            }
            1 if depth < 2 => format!("{}; ", self.record(path, depth + 1)),
            2..=5 => self.bit_field(path),
            6 => {
                let (ty, name) = (self.random.pick(SCALARS), self.name());
                // An element whose alignment is greater than its size is no element.
                let ty = if ty == "aligned_int" { "int" } else { ty };
                let attribute = self.attribute(6);
                self.members.push(format!("{path}{name}"));
                format!("{ty} {name}[{}]{attribute}; ", self.random.between(1, 3))
            }
            _ => {
                let (ty, name) = (self.random.pick(SCALARS), self.name());
                let attribute = self.attribute(5);
                self.members.push(format!("{path}{name}"));
                format!("{ty} {name}{attribute}; ")
            }
        }
    }

    fn bit_field(&mut self, path: &str) -> String {
        let (ty, most) = self.random.pick(BIT_TYPES);
        if self.random.one_in(5) {
            let width = if self.random.one_in(2) { 0 } else { self.random.between(1, most) };
            return format!("{ty} : {width}; ");
        }
        let (name, width) = (self.name(), self.random.between(1, most));
        let attribute = self.attribute(8);
        self.bit_fields.push(format!("{path}{name}"));
        format!("{ty} {name} : {width}{attribute}; ")
    }
}

/// A function that computes everything there is to compare about one declaration.
fn program(seed: u64) -> String {
    let mut generator =
        Generator { random: Random(seed), n_names: 0, members: Vec::new(), bit_fields: Vec::new() };
    let record = generator.record("", 0);
    let pack = generator.random.one_in(3).then(|| 1 << generator.random.index(4));
    let ty = format!("t{seed}");
    let mut text = match pack {
        Some(pack) => format!("#pragma pack(push, {pack})\ntypedef {record} {ty};\n#pragma pack(pop)\n"),
        None => format!("typedef {record} {ty};\n"),
    };
    text += &format!("static void check{seed}(void) {{\n  put(sizeof({ty})); put(_Alignof({ty}));\n");
    for member in &generator.members {
        text += &format!("  put(__builtin_offsetof({ty}, {member}));\n");
    }
    for field in &generator.bit_fields {
        text += &format!(
            "  {{ {ty} r; fill(&r, 0, sizeof r); r.{field} = -1; bytes(&r, sizeof r); put(r.{field});\n    \
               fill(&r, 255, sizeof r); r.{field} = 0; bytes(&r, sizeof r); put(r.{field}); }}\n"
        );
    }
    text + "}\n"
}

fn native(seeds: std::ops::Range<u64>, directory: &Path) -> BTreeMap<u64, Vec<u64>> {
    let mut text = format!("#include <stdio.h>\n{PRELUDE}");
    let mut main = String::from("int main(void) {\n");
    for seed in seeds.clone() {
        text += &program(seed);
        main += &format!(
            "  n_out = 0; check{seed}(); printf(\"{seed}\");\n  \
               for (unsigned i = 0; i < n_out; i++) printf(\" %llu\", out[i]);\n  puts(\"\");\n"
        );
    }
    let stem = directory.join(format!("layouts{}", seeds.start));
    let source = stem.with_extension("c");
    std::fs::write(&source, text + &main + "  return 0;\n}\n").expect("the directory should be writable");
    let compiled = Command::new("cc").args(["-std=gnu11", "-w", "-o"]).args([&stem, &source]).output();
    let compiled = compiled.expect("cc should start");
    assert!(compiled.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&stem).output().expect("a compiled program should start");
    assert!(run.status.success(), "{} should run", source.display());
    let text = String::from_utf8(run.stdout).expect("numbers should be text");
    let parse = |line: &str| {
        let mut numbers = line.split(' ').map(|n| n.parse().expect("results should be numbers"));
        (numbers.next().expect("a line should begin with a seed"), numbers.collect())
    };
    text.lines().map(parse).collect()
}

/// Padding and inputs do not occur.
struct Nothing;

impl Chooser for Nothing {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        Some(0)
    }
}

fn interpreted(seed: u64) -> Result<Vec<u64>, String> {
    let text = format!("{PRELUDE}{}int main(void) {{ check{seed}(); return 0; }}\n", program(seed));
    let loaded = load_text("layout.c", &text, &Options::default());
    let Some(program) = loaded.program else {
        return Err(format!("it is not accepted: {:?}", loaded.diagnostics));
    };
    let program = program.with(Overflow::Wraps);
    let interp = Interp::new(&program).map_err(|stop| format!("it does not start: {stop}"))?;
    let mut state = interp.initial();
    loop {
        match interp.step(&mut state, ThreadId::MAIN, &mut Nothing, &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Ended => break,
            other => {
                return Err(format!(
                    "it ends with {other:?} at {:?}",
                    interp.position(&state, ThreadId::MAIN)
                ));
            }
        }
    }
    let read = |name: &str| {
        let at = program.objects.iter().position(|object| object.name == name);
        let id = ObjectId::new(at.expect("the results should be there"));
        let bytes = interp.static_bytes(&state, id);
        bytes.iter().map(|byte| byte.expect("results should be determinate")).collect::<Vec<u8>>()
    };
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let n_out = word(&read("n_out")) as usize;
    Ok(read("out").chunks(8).take(n_out).map(word).collect())
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn records_are_laid_out_as_the_compiler_does() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("there is no cc: nothing is compared");
        return;
    }
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let first = number("THREADPROOF_SEED", 0);
    let end = first + number("THREADPROOF_LAYOUTS", 200);
    let mut failures = Vec::new();
    for start in (first..end).step_by(BATCH as usize) {
        let theirs = native(start..end.min(start + BATCH), &directory);
        for (seed, theirs) in theirs {
            let ours = interpreted(seed);
            if ours.as_ref() != Ok(&theirs) {
                failures
                    .push(format!("seed {seed}:\n{}  ours   {ours:?}\n  theirs {theirs:?}", program(seed)));
            }
        }
    }
    let shown: Vec<String> = failures.iter().take(10).cloned().collect();
    assert!(failures.is_empty(), "{} declarations differ:\n{}", failures.len(), shown.join("\n"));
}
