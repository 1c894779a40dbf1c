//! `cargo xtask table weak`: Table III of the paper, with its figures beside ours.
//!
//! B. Wachter, D. Kroening, J. Ouaknine, *Verifying multi-threaded software with Impact*, FMCAD 2013, Table III: two programs under the memory models for which
//! they were instrumented. Their programs are not public; ours are written from the descriptions: the core of Sober's example (Burckhardt, Musuvathi, CAV
//! 2008), and the PostgreSQL workers that hand each other a latch and a flag. "fix" has full fences in both threads, "dev_fix" the light one that
//! PostgreSQL's developers added first, between the two stores of a worker: two loads of the other worker may still be reordered.
//! Their seconds are those of a machine of 2013, with a limit of 900.

use super::verify;
use crate::workspace::root;

/// A line of the table.
struct Line {
    /// The paper's name.
    name: &'static str,
    /// Ours.
    file: &'static str,
    model: &'static str,
    safe: bool,
    /// Impara's seconds; `None` if its time was over.
    seconds: Option<f64>,
}

const fn line(
    name: &'static str,
    file: &'static str,
    model: &'static str,
    safe: bool,
    seconds: Option<f64>,
) -> Line {
    Line { name, file, model, safe, seconds }
}

const SOBER: &str = "idle_worker.c";
const SOBER_FIXED: &str = "idle_worker_fenced.c";
const SQL: &str = "database_workers.c";
const SQL_FIXED: &str = "database_workers_light_fence.c";

const LINES: [Line; 13] = [
    line("Sober SC", SOBER, "sc", true, Some(0.7)),
    line("Sober TSO", SOBER, "tso", false, Some(3.7)),
    line("Sober RMO", SOBER, "rmo", false, Some(3.6)),
    line("Sober PSO", SOBER, "pso", false, Some(1.7)),
    line("Sober Power", SOBER, "power", false, Some(1.7)),
    line("Sober fix_SC", SOBER_FIXED, "sc", true, Some(0.7)),
    line("Sober fix_TSO", SOBER_FIXED, "tso", true, Some(1.3)),
    line("Sober fix_PSO", SOBER_FIXED, "pso", true, Some(1.4)),
    line("Sober fix_power", SOBER_FIXED, "power", true, Some(1.4)),
    line("SQL SC", SQL, "sc", true, Some(0.4)),
    line("SQL TSO", SQL, "tso", true, Some(0.5)),
    line("SQL Power", SQL, "power", false, None),
    line("SQL dev_fix_Power", SQL_FIXED, "power", false, None),
];

/// Prints the table; an answer that is not right is an error.
pub fn table(seconds: u32) -> Result<(), String> {
    println!("| program | safe | Impara | s | threadproof | s |\n|---|---|---|---|---|---|");
    let folder = root().join("tests/programs/weak-memory");
    let mut not_right = Vec::new();
    for line in &LINES {
        let answer = verify(&folder.join(line.file), &["--memory-model", line.model], seconds)?;
        let right = answer.verdict.starts_with(if line.safe { "true" } else { "false" });
        println!("{}", row(line, right, &answer.verdict, answer.seconds));
        if !right {
            not_right.push(line.name);
        }
    }
    if not_right.is_empty() { Ok(()) } else { Err(format!("not right: {}", not_right.join(", "))) }
}

fn row(line: &Line, right: bool, verdict: &str, seconds: f64) -> String {
    let safe = if line.safe { "y" } else { "n" };
    let (theirs, their_seconds) = match line.seconds {
        Some(seconds) => ("right", format!("{seconds:.1}")),
        None => ("TO", "900".to_owned()),
    };
    let ours = if right { "right" } else { verdict };
    format!("| {} | {safe} | {theirs} | {their_seconds} | {ours} | {seconds:.2} |", line.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_are_in_the_repository_and_say_what_the_table_says() {
        for line in &LINES {
            let path = root().join("tests/programs/weak-memory").join(line.file);
            let text = std::fs::read_to_string(&path).expect("the program should be there");
            let verdict = if line.safe { "true" } else { "false" };
            let says = |annotation: &str| {
                let Some((models, rest)) = annotation.split_once("): ") else {
                    return line.model == "sc"
                        && annotation.starts_with(": unreach-call ")
                        && annotation.ends_with(verdict);
                };
                let models = models.trim_start_matches('(');
                models.split(',').any(|model| model == line.model)
                    && rest == format!("unreach-call {verdict}")
            };
            assert!(text.lines().filter_map(|l| l.strip_prefix("// expect")).any(says), "{}", line.name);
        }
    }

    #[test]
    fn a_row_has_their_figures_beside_ours() {
        assert_eq!(row(&LINES[0], true, "true", 0.1), "| Sober SC | y | right | 0.7 | right | 0.10 |");
        let late = row(&LINES[12], false, "unknown(timeout)", 9.0);
        assert_eq!(late, "| SQL dev_fix_Power | n | TO | 900 | unknown(timeout) | 9.00 |");
    }
}
