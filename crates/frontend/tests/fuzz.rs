//! Whatever the input, the front end ends with a diagnostic or a well-formed program: never a panic.
//!
//! Mutations of our own test programs: bytes changed, removed, doubled, tokens swapped between programs, texts cut off.
//! `testkit::settings` says how to ask for more cases.

use frontend::{Options, load_text};
use testkit::{Random, settings};

/// Our programs without their `#include` lines, with what the headers would have declared left undeclared: the front
/// end is lenient about that.
fn seeds() -> Vec<String> {
    let without_directives = |program: testkit::corpus::Annotated| {
        let text = std::fs::read_to_string(&program.path).expect("our programs should be readable");
        let lines = text.lines().filter(|l| !l.trim_start().starts_with('#'));
        lines.collect::<Vec<_>>().join(
            "
",
        )
    };
    testkit::corpus::programs().into_iter().map(without_directives).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

fn mutate(random: &mut Random, seeds: &[String]) -> String {
    let text = &seeds[random.index(seeds.len())];
    if random.index(8) == 0 {
        let cut = random.index(text.len());
        return text.chars().take(cut).collect();
    }
    let other = &seeds[random.index(seeds.len())];
    let mut parts: Vec<String> = words(text).into_iter().map(str::to_owned).collect();
    let foreign = words(other);
    for _ in 0..1 + random.index(4) {
        let at = random.index(parts.len());
        match random.index(6) {
            0 => parts[at].clear(),
            1 => parts[at] = foreign[random.index(foreign.len())].to_owned(),
            2 => parts[at] = parts[random.index(parts.len())].clone(),
            3 => parts[at].push_str(
                [";", "(", ")", "{", "}", "*", "&", "[", "]", ",", "=", "'", "\"", "0x", "/*"]
                    [random.index(15)],
            ),
            4 => parts[at].push_str(
                ["\u{0}", "ä", "\\", "#", "$", "`", "\n# 7 \"x.c\"\n", "1e", "..", "->"][random.index(10)],
            ),
            _ => {
                let to = (at + random.index(12)).min(parts.len());
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
    let (mut accepted, cases) = (0, settings::mutants(2_000));
    let n_cases = cases.end - cases.start;
    for case in cases {
        let mut random = Random(case);
        let text = mutate(&mut random, &seeds);
        let outcome = std::panic::catch_unwind(|| load_text("fuzz.i", &text, &Options::default()));
        let Ok(loaded) = outcome else {
            panic!("case {case} (THREADPROOF_FUZZ_SEED={case} THREADPROOF_FUZZ=1) panics on:\n{text}");
        };
        match loaded.program {
            Some(program) => {
                accepted += 1;
                if let Err(flaws) = program::well_formed::check(program.program()) {
                    panic!("case {case} gives an ill-formed program, {flaws:?}, from:\n{text}");
                }
            }
            None => assert!(!loaded.diagnostics.is_empty(), "case {case} is refused without a word:\n{text}"),
        }
    }
    assert!(
        accepted > 0 && accepted < n_cases,
        "{accepted} of {n_cases} accepted: the mutations test nothing"
    );
}
