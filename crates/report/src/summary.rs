//! What was found out about a program, as plain data: the one thing that all formats for other programs are made of.
//!
//! | format | for | module |
//! |---|---|---|
//! | SARIF 2.1.0 | code scanning, editors | [`sarif`](crate::sarif) |
//! | JUnit | build servers | [`junit`](crate::junit) |
//! | annotations | GitHub's checks | [`github`](crate::github) |
//! | HTML | people with a browser | [`html`](crate::html) |
//!
//! A [`Finding`] is a violated property with its counterexample. Its [`fingerprint`](Finding::fingerprint) stays the same while lines are added or removed elsewhere.

use crate::lanes::Row;
use crate::{Checks, Diagnostic, Explanation, Lanes};
use std::path::PathBuf;

/// All answers about a program.
pub struct Summary<'a> {
    /// The verdict as on the last line.
    pub verdict: String,
    /// The files that the program is made of.
    pub files: &'a [PathBuf],
    /// The command line.
    pub command: String,
    /// The machine: memory model and data model.
    pub machine: String,
    /// The answers, in the order of the properties.
    pub answers: Vec<Answer<'a>>,
    /// What is wrong or odd about the files.
    pub diagnostics: &'a [Diagnostic],
    /// Seconds from the beginning to the end.
    pub seconds: f64,
    /// Megabytes at most.
    pub peak_mb: f64,
}

/// What is known about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It holds.
    Proved,
    /// It does not.
    Violated,
    /// There is no answer.
    Open,
}

impl Status {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proved => "proved",
            Status::Violated => "violated",
            Status::Open => "open",
        }
    }
}

/// The answer about a property.
pub struct Answer<'a> {
    /// What was asked.
    pub property: &'static str,
    /// The answer.
    pub status: Status,
    /// The property that is violated: what was asked, or a part of it.
    pub violated: &'static str,
    /// The answer as on the last line.
    pub verdict: String,
    /// Why there is none, and what to try.
    pub reason: Option<String>,
    /// Seconds.
    pub seconds: f64,
    /// The engine that answered.
    pub engine: String,
    /// The execution that violates it.
    pub counterexample: Option<&'a Lanes>,
    /// Why it holds.
    pub explanation: Option<&'a Explanation>,
    /// Whether the violation is in the user's baseline.
    pub known: bool,
    /// The answers for single checks.
    pub checks: Option<&'a Checks>,
    /// What it takes for granted.
    pub assumptions: &'a [String],
    /// What else is known.
    pub notes: &'a [String],
}

/// A violated property and how.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    /// The property.
    pub property: &'static str,
    /// The execution.
    pub lanes: &'a Lanes,
    /// Whether it is in the user's baseline.
    pub known: bool,
}

impl<'a> Summary<'a> {
    /// The violated properties that have a counterexample.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'a>> {
        let finding = |answer: &Answer<'a>| {
            let lanes = answer.counterexample.filter(|_| answer.status == Status::Violated)?;
            Some(Finding { property: answer.violated, lanes, known: answer.known })
        };
        self.answers.iter().filter_map(finding)
    }

    /// The program's name: that of its first file.
    pub fn name(&self) -> String {
        self.files.first().map(|file| file.display().to_string()).unwrap_or_default()
    }
}

impl<'a> Finding<'a> {
    /// The steps in which it happens: the last one; the two accesses of a race.
    pub fn places(&self) -> Vec<&'a Row> {
        let n = if self.lanes.race.is_some() { 2 } else { 1 };
        let located = self.lanes.rows.iter().rev().filter(|row| row.line > 0);
        located.take(n).collect()
    }

    /// File, line and column where it happens; a deadlock, where the last thread waits.
    pub fn place(&self) -> (&'a str, u32, u32) {
        let wait = self.lanes.waits.iter().rev().find(|wait| wait.line > 0);
        let waits = wait.map(|wait| (wait.file.as_str(), wait.line, 0));
        let steps = || self.places().first().map(|row| (row.file.as_str(), row.line, row.column));
        waits.or_else(steps).unwrap_or(("", 0, 0))
    }

    /// In one line.
    pub fn title(&self) -> String {
        self.lanes.ending.first().cloned().unwrap_or_else(|| format!("{} is violated", self.property))
    }

    /// In several lines: how it ends.
    pub fn text(&self) -> String {
        self.lanes.ending.join("\n")
    }

    /// A number that tells this finding from others: it depends on the property, on the texts of the lines and the functions in which it happens, and not on
    /// the numbers of lines.
    pub fn fingerprint(&self) -> String {
        let mut parts = vec![self.property.to_owned()];
        for row in self.places() {
            let file = row.file.rsplit('/').next().unwrap_or_default();
            parts.push(format!("{file}:{}:{}", row.function, without_spaces(&row.text)));
        }
        for wait in &self.lanes.waits {
            parts.push(format!(
                "{}:{}",
                self.lanes.threads[wait.thread],
                wait.object.as_deref().unwrap_or("")
            ));
        }
        // Which access of a race came first is of no importance.
        parts.sort();
        format!("{:016x}", fnv(parts.join("\n").as_bytes()))
    }
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Fowler, Noll and Vo's hash, version 1a: small, and the same everywhere.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What a property means, for people who meet it in another program: a title, and a paragraph.
pub fn explained(property: &str) -> (&'static str, &'static str) {
    match property {
        "unreach-call" => (
            "No assertion fails",
            "An execution makes an assertion fail, or calls reach_error(). The trace shows one schedule of the threads, with all inputs, that leads there.",
        ),
        "no-data-race" => (
            "No data race",
            "Two threads access the same memory, at least one of them writes, and no lock, join or atomic operation orders the accesses. In C this is undefined behaviour. Protect both accesses by the same lock, or make them atomic.",
        ),
        "no-deadlock" => (
            "No deadlock",
            "Some threads wait for each other, or for a signal that does not come, and can never go on. Take locks in one order everywhere; hold the mutex while the awaited condition is changed and signalled.",
        ),
        "no-overflow" => (
            "No signed overflow",
            "The result of signed arithmetic does not fit its type, which is undefined behaviour in C.",
        ),
        "valid-memsafety" => (
            "Memory is used safely",
            "Every access and every free() is valid, and no allocated memory is lost.",
        ),
        "valid-deref" => {
            ("Every access is valid", "A pointer is used that is null, dangling or outside of its object.")
        }
        "valid-free" => ("Every free() is valid", "Memory is freed twice, or was not allocated by malloc()."),
        "valid-memtrack" => {
            ("No memory is lost", "The last pointer to allocated memory is overwritten or ends.")
        }
        "valid-memcleanup" => {
            ("All memory is freed", "The program ends while allocated memory has not been freed.")
        }
        "termination" => (
            "The program ends",
            "An execution with a fair schedule goes on for ever, or leaves a thread blocked for ever.",
        ),
        "undefined-behaviour" => (
            "Nothing is undefined",
            "The program does something that C gives no meaning; what happens then depends on the compiler.",
        ),
        "robustness" => (
            "Behaves as under sequential consistency",
            "An execution under the weak memory model is none of a sequentially consistent machine.",
        ),
        _ => ("A property holds", "See the documentation of threadproof."),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::lanes::{Note, Race};

    /// A race of two threads, at the given line.
    pub(crate) fn race(line: u32) -> Lanes {
        let row = |thread: usize, line: u32, text: &str, notes: Vec<Note>| Row {
            thread,
            file: "src/a b.c".into(),
            line,
            column: 3,
            text: text.into(),
            function: "work".into(),
            visible: true,
            notes,
            ..Row::default()
        };
        Lanes {
            threads: vec!["main".into(), "work#1".into()],
            rows: vec![
                row(0, line + 5, "start();", vec![Note::Start { thread: 1, text: "starts work#1".into() }]),
                row(0, line, "x = 1;", vec![Note::write("x", "1")]),
                row(1, line + 1, "y = x;", vec![Note::read("x", "0")]),
            ],
            ending: vec!["data race on x".into(), "write of <4> bytes & more".into()],
            race: Some(Race { object: "x".into(), writes: [true, false] }),
            ..Lanes::default()
        }
    }

    /// A summary of a violated, an open and a proved property.
    pub(crate) fn summary<'a>(lanes: &'a Lanes, files: &'a [PathBuf]) -> Summary<'a> {
        let answer = |property: &'static str, status, reason: Option<&str>| Answer {
            property,
            status,
            violated: property,
            verdict: if status == Status::Proved { "true".into() } else { "false(x)".into() },
            reason: reason.map(str::to_owned),
            seconds: 0.5,
            engine: "explore".into(),
            counterexample: (status == Status::Violated).then_some(lanes),
            explanation: None,
            known: false,
            checks: None,
            assumptions: &[],
            notes: &[],
        };
        Summary {
            verdict: "false(no-data-race)".into(),
            files,
            command: "threadproof verify 'src/a b.c'".into(),
            machine: "sc, LP64".into(),
            answers: vec![
                answer("no-data-race", Status::Violated, None),
                answer("no-deadlock", Status::Open, Some("timeout")),
                answer("unreach-call", Status::Proved, None),
            ],
            diagnostics: &[],
            seconds: 1.25,
            peak_mb: 20.0,
        }
    }

    #[test]
    fn fingerprints_do_not_depend_on_line_numbers() {
        let of = |lanes: &Lanes| Finding { property: "no-data-race", lanes, known: false }.fingerprint();
        let (here, there) = (race(10), race(20));
        assert_eq!(of(&here), of(&there));
        let mut other = race(10);
        other.rows[1].text = "x  =  2;".into();
        assert_ne!(of(&here), of(&other));
        let mut swapped = race(10);
        swapped.rows.swap(1, 2);
        assert_eq!(of(&here), of(&swapped));
    }
}
