//! `verify` on every annotated C program of the repository.
//!
//! A program says what is true of it in comments of its own:
//!
//! ```c
//! // expect: unreach-call true       the property and whether it holds
//! // explore: unknown                exploring all states may take too long or be impossible
//! // data-model: ILP32               how to read it
//! // options: --malloc-may-fail      further options of the command line
//! ```
//!
//! An expectation is about soundness: the opposite answer is always a failure. `explore: unknown` is about
//! precision: only there is no answer good enough. Properties that have no engine yet may answer
//! `unknown(unsupported: …)`, as long as the verdict says so.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
struct Annotations {
    expectations: Vec<(String, bool)>,
    may_be_unknown: bool,
    data_model: Option<String>,
    options: Vec<String>,
}

fn annotations(text: &str) -> Result<Annotations, String> {
    let mut found = Annotations::default();
    for line in text.lines().filter_map(|l| l.trim().strip_prefix("// ")) {
        if let Some(rest) = line.strip_prefix("expect:") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [property, answer] = words[..] else { return Err(format!("cannot read `{line}`")) };
            let answer = answer.parse().map_err(|_| format!("`{answer}` should be true or false"))?;
            found.expectations.push((property.to_owned(), answer));
        } else if let Some(rest) = line.strip_prefix("explore:") {
            found.may_be_unknown = rest.trim() == "unknown";
        } else if let Some(rest) = line.strip_prefix("data-model:") {
            found.data_model = Some(rest.trim().to_owned());
        } else if let Some(rest) = line.strip_prefix("options:") {
            found.options = rest.split_whitespace().map(str::to_owned).collect();
        }
    }
    Ok(found)
}

fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            c_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "c") {
            found.push(path);
        }
    }
}

/// An engine with its options, how long it gets, and whether it may always answer `unknown`.
type Engine = (&'static str, &'static str, bool);

/// What is wrong with the answer, if anything.
fn check(
    path: &Path,
    annotations: &Annotations,
    (engine, time, may_be_unknown): Engine,
    (property, expected): (&str, bool),
) -> Option<String> {
    let mut command = threadproof();
    command.args(["verify", "--timeout", time, "--property", property, "--engine"]);
    command.args(engine.split(' '));
    if let Some(model) = &annotations.data_model {
        command.args(["--data-model", model]);
    }
    let output = command.args(&annotations.options).arg(path).output().unwrap();
    let verdict = last_line(&output);
    let verdict = verdict.strip_prefix("verdict: ").unwrap_or(&verdict);
    let wanted = if expected { "true".to_owned() } else { format!("false({property})") };
    // A check that fails is a bug, not a lack of an answer.
    let unknown = verdict.starts_with("unknown(") && !verdict.starts_with("unknown(check failed");
    let allowed =
        may_be_unknown || annotations.may_be_unknown || verdict.starts_with("unknown(unsupported: property");
    if verdict == wanted || (unknown && allowed && output.status.code() == Some(3)) {
        return None;
    }
    let code = output.status.code();
    let (path, tail) = (path.display(), stdout(&output) + &stderr(&output));
    Some(format!(
        "{path}: {engine} on {property} should be {wanted}, is {verdict} (exit code {code:?})\n{tail}"
    ))
}

#[test]
fn exploration_gives_every_program_the_verdict_it_expects() {
    ask_all(("explore", "10s", false), None);
}

#[test]
fn impact_gives_no_program_the_opposite_verdict() {
    ask_all(("impact", "2s", true), None);
}

#[test]
fn locksets_and_exploration_together_find_the_races_and_no_others() {
    ask_all(("auto", "10s", false), Some("no-data-race"));
}

#[test]
fn most_of_the_programs_about_termination_are_decided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/termination");
    let (n_questions, failures) = ask_about(&[folder], ("auto", "10s", false), Some("termination"), true);
    assert!(n_questions >= 60, "only {n_questions} programs");
    assert!(failures.len() <= 3, "{} of {n_questions} answers:\n\n{}", failures.len(), failures.join("\n"));
    assert!(failures.iter().all(|f| f.contains(", is unknown(")), "{}", failures.join("\n"));
}

#[test]
fn ufo_gives_no_program_the_opposite_verdict() {
    ask_all(("ufo", "500ms", true), None);
}

#[test]
fn values_give_no_program_the_opposite_verdict() {
    ask_all(("cpa --domain value", "500ms", true), None);
}

#[test]
fn intervals_give_no_program_the_opposite_verdict() {
    ask_all(("cpa --domain interval", "500ms", true), None);
}

#[test]
fn decision_diagrams_give_no_program_the_opposite_verdict() {
    ask_all(("cpa --domain bdd", "500ms", true), None);
}

#[test]
fn redcomp_gives_no_program_the_opposite_verdict() {
    ask_all(("redcomp", "500ms", true), None);
}

/// Asks an engine about every program: about all properties, or only about one.
fn ask_all(engine: Engine, only: Option<&str>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("tests/programs"), root.join("examples")];
    let (n_questions, failures) = ask_about(&folders, engine, only, false);
    assert!(failures.is_empty(), "{} of {n_questions} answers:\n\n{}", failures.len(), failures.join("\n"));
}

/// Asks an engine about the programs of some folders; how many questions there were, and what is wrong with the answers. If it is
/// `strict`, no program may be unknown.
fn ask_about(folders: &[PathBuf], engine: Engine, only: Option<&str>, strict: bool) -> (usize, Vec<String>) {
    let mut files = Vec::new();
    for folder in folders {
        c_files(folder, &mut files);
    }
    let mut questions = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let found = annotations(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!found.expectations.is_empty(), "{} should say what it expects", path.display());
        let found =
            std::rc::Rc::new(Annotations { may_be_unknown: found.may_be_unknown && !strict, ..found });
        // Counting through billions of states teaches nothing (the default is asked about these), nor do engines that do not know the property.
        let is_hopeless = |property: &str| {
            let knows = ["auto", "explore", "redcomp"].contains(&engine.0);
            property == "termination" && (!knows || engine.0 == "explore" && found.may_be_unknown)
        };
        questions.extend(
            found
                .expectations
                .iter()
                .filter(|(property, _)| only.is_none_or(|only| property == only) && !is_hopeless(property))
                .cloned()
                .map(|e| (path.clone(), std::rc::Rc::clone(&found), e)),
        );
    }
    let questions: Vec<_> = questions.iter().map(|(path, found, e)| (path, &**found, e)).collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                while let Some((path, found, (property, expected))) =
                    questions.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Some(failure) = check(path, found, engine, (property, *expected)) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    (questions.len(), failures)
}
