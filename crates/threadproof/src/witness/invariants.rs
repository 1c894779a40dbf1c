//! From a proof to the invariants of a witness: what it says at loops and statements, as expressions of C.
//!
//! A proof by labels is known line by line ([`Explanation`]). What always holds for every thread in the line of a loop is a candidate, if nothing but variables occurs in it that have a name there;
//! so is the choice between its cases. Where the answer was found by enumeration or by locks, a proof by formulas is looked for, for a short time, only because of what it says.
//!
//! # Every invariant is proved
//! A label belongs to a step of a thread, an invariant of a witness to the evaluation of a condition; a term knows no types. So a candidate may be wrong, or no C at all. Each that is written has been
//! proved as an assertion at its place, by the engines and their checker, exactly as `threadproof validate` does. What is not proved in time is left out.
//!
//! # Direction of error
//! A witness may say too little, and nothing at all; never what does not hold. It is no proof by itself: the invariants need not be inductive.

use super::marks;
use super::{at, holds};
use crate::options::{EngineName, Options};
use crate::property::Asked;
use crate::result::Report;
use crate::verdict::Verdict;
use crate::verify::Verifier;
use frontend::Texts;
use frontend::places::{Place, PlaceKind};
use report::Explanation;
use report::invariants::ProgramPoint;
use report::witness::Invariant;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Maximum number of invariants of a witness.
const MOST: usize = 40;
/// Choices between more cases are not written.
const MOST_CASES: usize = 4;
/// How long a proof by formulas is looked for with one engine.
const SEARCH: Duration = Duration::from_secs(2);
/// How long candidates are proved at most.
const LONGEST: Duration = Duration::from_secs(20);

/// The invariants of a program that was proved.
pub fn of_proof(
    report: &Report,
    asked: &Asked,
    files: &[PathBuf],
    options: &Options,
    texts: &Texts,
) -> Vec<Invariant> {
    let places = texts.places();
    let time = (options.timeout / 2).min(LONGEST);
    let start = Instant::now();
    let mut found = candidates(report.explanation.as_ref(), &places);
    for engine in [EngineName::Ufo, EngineName::Cpa, EngineName::Impact] {
        if !found.is_empty() || !places.iter().any(|place| is_loop(&place.kind)) {
            break;
        }
        let limit = SEARCH.min(time.saturating_sub(start.elapsed()));
        let report = Verifier::new(Options { explain: true, ..with_engine(options, engine, limit) })
            .verify_texts(files, Asked { assume_defined: true, ..asked.clone() }, texts.clone());
        found = candidates(report.explanation.as_ref(), &places);
    }
    proved(found, asked, files, texts, &|| {
        let limit = time.saturating_sub(start.elapsed());
        (!limit.is_zero()).then(|| with_engine(options, EngineName::Auto, limit))
    })
}

fn with_engine(options: &Options, engine: EngineName, timeout: Duration) -> Options {
    let mut options =
        Options { timeout, keep_evidence: false, explain: false, cache: None, ..options.clone() };
    options.search.engine = engine;
    options
}

/// The candidates that are proved in time: first all at once, then, if that fails, one by one.
fn proved(
    candidates: Vec<Invariant>,
    asked: &Asked,
    files: &[PathBuf],
    texts: &Texts,
    options: &dyn Fn() -> Option<Options>,
) -> Vec<Invariant> {
    let is_proved = |invariants: &[Invariant]| {
        options().is_some_and(|options| {
            let verifier = Verifier::new(options);
            holds(&verifier, files, asked, invariants, texts)
                .is_ok_and(|report| report.verdict == Verdict::Holds)
        })
    };
    if candidates.is_empty() || is_proved(&candidates) {
        return candidates;
    }
    candidates.into_iter().filter(|candidate| is_proved(std::slice::from_ref(candidate))).collect()
}

fn is_loop(kind: &PlaceKind) -> bool {
    matches!(kind, PlaceKind::Loop { .. })
}

/// What a proof says at loops, and at the first statement of other lines.
fn candidates(explanation: Option<&Explanation>, places: &[Place]) -> Vec<Invariant> {
    let Some(Explanation::Invariants { places: points, .. }) = explanation else { return Vec::new() };
    let mut by_line: BTreeMap<(&str, u32), Vec<&ProgramPoint>> = BTreeMap::new();
    for point in points {
        by_line.entry((&point.file, point.line)).or_default().push(point);
    }
    let mut lines_with_loops = BTreeSet::new();
    let mut found = Vec::new();
    for of_loop in [true, false] {
        let mut seen = BTreeSet::new();
        for place in places {
            let line = (place.file.as_str(), place.line);
            let is_meant = match place.kind {
                PlaceKind::Loop { .. } => of_loop,
                PlaceKind::Statement { .. } => !of_loop && !lines_with_loops.contains(&line),
                _ => false,
            };
            if !is_meant || !seen.insert(line) {
                continue;
            }
            if of_loop {
                lines_with_loops.insert(line);
            }
            for value in by_line.get(&line).map(|points| facts(points, &place.function)).unwrap_or_default() {
                found.push(Invariant { of_loop, location: at(place), value });
            }
        }
    }
    found.truncate(MOST);
    found
}

/// What every thread in a line may take for granted, as C.
fn facts(points: &[&ProgramPoint], function: &str) -> BTreeSet<String> {
    let of_point = |point: &&ProgramPoint| -> BTreeSet<String> {
        let own = format!("{}:{function}:", point.thread);
        let in_c = |fact: &String| in_c(&fact.replace(&own, ""));
        let mut facts: BTreeSet<String> = point.always.iter().filter_map(in_c).collect();
        let cases: Option<BTreeSet<String>> = point.cases.iter().map(|case| in_c(&case.holds)).collect();
        if let Some(cases) = cases.filter(|_| point.n_silent == 0)
            && (1..=MOST_CASES).contains(&cases.len())
        {
            let cases: Vec<String> = cases.iter().map(|case| format!("({case})")).collect();
            facts.insert(cases.join(" || "));
        }
        facts
    };
    let mut all = points.iter().map(of_point);
    let first = all.next().unwrap_or_default();
    all.fold(first, |known, facts| known.intersection(&facts).cloned().collect())
}

/// A fact as C, if it has nothing that only explanations have: names of other threads' variables, parts of objects, operators with a `u`.
fn in_c(fact: &str) -> Option<String> {
    let only_in_explanations =
        ["…", ":", "++", "?", " with ", "bytes", ".", "{", "#", "@", "&", "alive ", "sizeof "];
    // A conjunction is no address.
    let text = fact.replace(" && ", " ");
    if only_in_explanations.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let is_operator = |word: &&str| word.ends_with('u') && word.starts_with(['<', '>', '/', '%', '=', '!']);
    // `x+8` is a part of `x`, `x + 8` a sum.
    let is_part = |word: &str| word.split_once('+').is_some_and(|(name, _)| !name.is_empty());
    if text.split_whitespace().any(|word| is_operator(&word) || is_part(word)) {
        return None;
    }
    marks::pure(fact).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_all_threads_are_invariants() {
        let point = |thread: &str, always: &[&str]| ProgramPoint {
            thread: thread.into(),
            file: "a.c".into(),
            line: 3,
            text: String::new(),
            always: always.iter().map(|fact| (*fact).to_owned()).collect(),
            cases: Vec::new(),
            n_silent: 0,
        };
        let left = point("work#1", &["work#1:work:i <= 4", "x == 0 && y < 5u", "main:main:n == 1"]);
        let right = point("work#2", &["work#2:work:i <= 4", "x == 0 && y < 5u", "z == 1"]);
        let both = facts(&[&left, &right], "work");
        assert_eq!(both.into_iter().collect::<Vec<_>>(), ["i <= 4", "x == 0 && y < 5u"]);
    }

    #[test]
    fn what_is_no_c_is_left_out() {
        for good in ["x <= 4", "a[i] < a[1] + 1", "x - y + 3 < z", "(x == 0 || y > 0) && flag"] {
            assert!(in_c(good).is_some(), "{good}");
        }
        for bad in [
            "x <=u y",
            "x /u 2 == 1",
            "p == &x",
            "r+8 == 1",
            "a[(i) bytes] == 0",
            "i.1 == 0",
            "x ++ y == 0",
            "f#1:f:x == 1",
        ] {
            assert!(in_c(bad).is_none(), "{bad}");
        }
    }
}
