//! Whatever the input, the front end ends with a diagnostic or a well-formed program: never a panic.
//!
//! Mutations of our own test programs: bytes changed, removed, doubled, tokens swapped between programs, texts cut off.
//! `THREADPROOF_FUZZ=n` sets the number of cases, `THREADPROOF_FUZZ_SEED=s` the first one.

use frontend::{Options, load_text};
use std::path::Path;

/// A small generator of pseudo-random numbers (xorshift); its seed is the case's number.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Our programs without their `#include` lines, with what the headers would have declared left undeclared: the front
/// end is lenient about that.
fn seeds() -> Vec<String> {
    fn collect(folder: &Path, out: &mut Vec<String>) {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|e| e == "c") {
                let text = std::fs::read_to_string(&path).expect("our programs should be readable");
                let lines = text.lines().filter(|l| !l.trim_start().starts_with('#'));
                out.push(lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    let mut seeds = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs"), &mut seeds);
    seeds
}

fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

fn mutate(random: &mut Random, seeds: &[String]) -> String {
    let text = &seeds[random.below(seeds.len())];
    if random.below(8) == 0 {
        let cut = random.below(text.len());
        return text.chars().take(cut).collect();
    }
    let other = &seeds[random.below(seeds.len())];
    let mut parts: Vec<String> = words(text).into_iter().map(str::to_owned).collect();
    let foreign = words(other);
    for _ in 0..1 + random.below(4) {
        let at = random.below(parts.len());
        match random.below(6) {
            0 => parts[at].clear(),
            1 => parts[at] = foreign[random.below(foreign.len())].to_owned(),
            2 => parts[at] = parts[random.below(parts.len())].clone(),
            3 => parts[at].push_str(
                [";", "(", ")", "{", "}", "*", "&", "[", "]", ",", "=", "'", "\"", "0x", "/*"]
                    [random.below(15)],
            ),
            4 => parts[at].push_str(
                ["\u{0}", "ä", "\\", "#", "$", "`", "\n# 7 \"x.c\"\n", "1e", "..", "->"][random.below(10)],
            ),
            _ => {
                let to = (at + random.below(12)).min(parts.len());
                let run: Vec<String> = parts[at..to].to_vec();
                parts.splice(at..at, run);
            }
        }
    }
    parts.concat()
}

#[test]
fn mutated_programs_give_a_diagnostic_or_a_program() {
    let seeds = seeds();
    let first = from_env("THREADPROOF_FUZZ_SEED", 1);
    let (mut accepted, cases) = (0, from_env("THREADPROOF_FUZZ", 2_000));
    for case in first..first + cases {
        let mut random = Random(case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = mutate(&mut random, &seeds);
        let outcome = std::panic::catch_unwind(|| load_text("fuzz.i", &text, &Options::default()));
        let Ok(loaded) = outcome else {
            panic!("case {case} (THREADPROOF_FUZZ_SEED={case} THREADPROOF_FUZZ=1) panics on:\n{text}");
        };
        match loaded.program {
            Some(program) => {
                accepted += 1;
                if let Err(flaws) = program::well_formed::check(&program) {
                    panic!("case {case} gives an ill-formed program, {flaws:?}, from:\n{text}");
                }
            }
            None => assert!(!loaded.diagnostics.is_empty(), "case {case} is refused without a word:\n{text}"),
        }
    }
    assert!(accepted > 0 && accepted < cases, "{accepted} of {cases} accepted: the mutations test nothing");
}
