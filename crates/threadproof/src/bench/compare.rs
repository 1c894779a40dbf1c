//! `bench --compare A.json B.json`: what has changed from one run to another, as a table; and plots of runs.
//!
//! Rows belong together if task and property are the same. Times are compared only where both runs were right: an early give-up is no improvement. Two answers that contradict each other
//! are an error of one of the runs, whatever was expected, and make the exit code 1.

use super::plot;
use super::rows::{self, Status};
use crate::args::BenchArgs;
use crate::output::{self, Exit};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Maximum number of differences of a kind that are listed.
const LISTED: usize = 30;

/// What is compared of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub status: Status,
    pub verdict: String,
    /// Processor time.
    pub seconds: f64,
}

/// A run: its outcomes by task and property.
pub type Run = BTreeMap<(String, String), Outcome>;

/// Compares two runs, or draws one.
pub fn compare(args: &BenchArgs, files: &[PathBuf]) -> Exit {
    let runs: Result<Vec<Run>, String> = files.iter().map(|path| read(path)).collect();
    let runs = match runs {
        Ok(runs) => runs,
        Err(message) => {
            output::err(&format!("error: {message}\n"));
            return Exit::BadInput;
        }
    };
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let [before, after] = &runs[..] else { return Exit::BadInput };
    let (text, contradictions) = table([(&names[0], before), (&names[1], after)]);
    output::out(&text);
    let scatter = args.scatter.as_ref().map(|path| {
        let points: Vec<plot::Point> = common(before, after).map(|(_, a, b)| point(a, b)).collect();
        (path, plot::scatter(&points, [&names[0], &names[1]]))
    });
    let quantile = args.quantile.as_ref().map(|path| {
        let curves = names.iter().zip(&runs).map(|(name, run)| (name.clone(), right_times(run)));
        (path, plot::quantile(&curves.collect::<Vec<_>>()))
    });
    for (path, text) in scatter.into_iter().chain(quantile) {
        if let Err(error) = std::fs::write(path, text) {
            output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
            return Exit::BadInput;
        }
    }
    if contradictions == 0 { Exit::Fine } else { Exit::Violated }
}

/// Reads the rows that `bench --json` has written.
fn read(path: &Path) -> Result<Run, String> {
    let no_row = || format!("cannot read `{}`: a row is none of `bench --json`", path.display());
    let keyed = |(key, row)| Some((key, outcome(&row)?));
    rows::read(path)?.into_iter().map(|row| keyed(row).ok_or_else(no_row)).collect()
}

fn outcome(row: &Value) -> Option<Outcome> {
    let status = Status::from_name(row["status"].as_str()?)?;
    let seconds = row["cpu_s"].as_f64().filter(|x| *x > 0.0).or(row["seconds"].as_f64())?;
    Some(Outcome { status, verdict: row["verdict"].as_str()?.to_owned(), seconds })
}

fn common<'r>(
    before: &'r Run,
    after: &'r Run,
) -> impl Iterator<Item = (&'r (String, String), &'r Outcome, &'r Outcome)> {
    before.iter().filter_map(|(key, outcome)| Some((key, outcome, after.get(key)?)))
}

fn point(before: &Outcome, after: &Outcome) -> plot::Point {
    let time = |outcome: &Outcome| (outcome.status == Status::Right).then_some(outcome.seconds);
    plot::Point { times: [time(before), time(after)] }
}

fn right_times(run: &Run) -> Vec<f64> {
    run.values().filter(|outcome| outcome.status == Status::Right).map(|outcome| outcome.seconds).collect()
}

/// The table, and how many answers contradict each other.
fn table(runs: [(&str, &Run); 2]) -> (String, usize) {
    let [(_, before), (_, after)] = runs;
    let mut text = String::new();
    let wide = runs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let heading: Vec<String> = Status::ALL.iter().map(|(_, name)| format!("{name:>8}")).collect();
    let _ = writeln!(text, "{:wide$}  {:>8}{}{:>12}", "", "tasks", heading.concat(), "right cpu s");
    for (name, run) in runs {
        let count = |status: Status| run.values().filter(|outcome| outcome.status == status).count();
        let counts: Vec<String> =
            Status::ALL.iter().map(|(status, _)| format!("{:>8}", count(*status))).collect();
        let total: f64 = right_times(run).iter().sum();
        let _ = writeln!(text, "{name:wide$}  {:>8}{}{total:>12.1}", run.len(), counts.concat());
    }
    let both: Vec<(f64, f64)> = common(before, after)
        .filter(|(_, a, b)| a.status == Status::Right && b.status == Status::Right)
        .map(|(_, a, b)| (a.seconds, b.seconds))
        .collect();
    if !both.is_empty() {
        let (left, right) = both.iter().fold((0.0, 0.0), |(l, r), (a, b)| (l + a, r + b));
        let factor = both.iter().map(|(a, b)| (b.max(1e-3) / a.max(1e-3)).ln()).sum::<f64>();
        let factor = (factor / both.len() as f64).exp();
        let n = both.len();
        let _ = writeln!(
            text,
            "\n{n} right in both: {left:.1} s and {right:.1} s, times {factor:.2} on average (geometric mean)"
        );
    }
    let differs = |is_meant: &dyn Fn(&Outcome, &Outcome) -> bool| -> Vec<String> {
        let meant = common(before, after).filter(|(_, a, b)| is_meant(a, b));
        meant
            .map(|((task, property), a, b)| format!("{} → {}  {property}  {task}", a.verdict, b.verdict))
            .collect()
    };
    let contradictions = differs(&|a, b| contradict(&a.verdict, &b.verdict));
    let is_right = |outcome: &Outcome| outcome.status == Status::Right;
    let no_contradiction = |a: &Outcome, b: &Outcome| !contradict(&a.verdict, &b.verdict);
    listed(&mut text, "contradictions", &contradictions);
    listed(
        &mut text,
        "no longer right",
        &differs(&|a, b| is_right(a) && !is_right(b) && no_contradiction(a, b)),
    );
    listed(&mut text, "newly right", &differs(&|a, b| !is_right(a) && is_right(b) && no_contradiction(a, b)));
    for ((name, run), other) in runs.into_iter().zip([after, before]) {
        let n = run.keys().filter(|key| !other.contains_key(*key)).count();
        if n > 0 {
            let _ = writeln!(text, "\nonly in {name}: {n} tasks");
        }
    }
    (text, contradictions.len())
}

fn contradict(left: &str, right: &str) -> bool {
    let answer = |verdict: &str| match verdict {
        "true" => Some(true),
        other => other.starts_with("false(").then_some(false),
    };
    answer(left).is_some_and(|left| answer(right).is_some_and(|right| left != right))
}

fn listed(text: &mut String, what: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{what}: {}", lines.len());
    lines.iter().take(LISTED).for_each(|line| {
        let _ = writeln!(text, "  {line}");
    });
    if lines.len() > LISTED {
        let _ = writeln!(text, "  and {} more", lines.len() - LISTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rows: &[(&str, Status, &str, f64)]) -> Run {
        let outcome = |(task, status, verdict, seconds): &(&str, Status, &str, f64)| {
            let key = ((*task).to_owned(), "unreach-call".to_owned());
            (key, Outcome { status: *status, verdict: (*verdict).to_owned(), seconds: *seconds })
        };
        rows.iter().map(outcome).collect()
    }

    #[test]
    fn changes_are_listed() {
        let before = run(&[
            ("a", Status::Right, "true", 1.0),
            ("b", Status::Right, "true", 2.0),
            ("c", Status::Timeout, "unknown(timeout)", 9.0),
            ("d", Status::Right, "true", 1.0),
        ]);
        let after = run(&[
            ("a", Status::Right, "true", 2.0),
            ("b", Status::Timeout, "unknown(timeout)", 9.0),
            ("c", Status::Right, "false(unreach-call)", 3.0),
            ("d", Status::Wrong, "false(unreach-call)", 1.0),
            ("e", Status::Right, "true", 1.0),
        ]);
        let (text, contradictions) = table([("a.json", &before), ("b.json", &after)]);
        assert_eq!(contradictions, 1);
        for expected in [
            "1 right in both: 1.0 s and 2.0 s, times 2.00",
            "contradictions: 1\n  true → false(unreach-call)  unreach-call  d",
            "no longer right: 1\n  true → unknown(timeout)  unreach-call  b",
            "newly right: 1\n  unknown(timeout) → false(unreach-call)  unreach-call  c",
            "only in b.json: 1 tasks",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}
