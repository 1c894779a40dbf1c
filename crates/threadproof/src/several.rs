//! Several properties of one program: a table of answers, the first counterexample, and one verdict.
//!
//! Where undefined behaviour is one of the properties, the others are decided under the assumption that there is none: it is discharged, or not, once and for all.
//!
//! The verdict is `false` if some property is violated, and `true` only if all of them hold.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use threadproof::property::Asked;
use threadproof::{Property, Report, Verdict, Verifier};

/// What is checked if everything is to be checked.
pub const ALL: [Property; 5] = [
    Property::UnreachCall,
    Property::ValidMemsafety,
    Property::UndefinedBehaviour,
    Property::NoDataRace,
    Property::NoDeadlock,
];

/// The answers, in the order of the properties, each with the time that it took.
pub struct Answers(Vec<(Report, Duration)>);

impl Answers {
    /// Decides all properties, one after the other.
    pub fn of(verifier: &Verifier, files: &[PathBuf], asked: Vec<Asked>) -> Self {
        let discharged = asked.iter().any(|asked| asked.property == Property::UndefinedBehaviour);
        let answers = asked.into_iter().map(|asked| {
            let assume_defined = asked.assume_defined || discharged && !asked.property.is_about_validity();
            let start = Instant::now();
            (verifier.verify(files, Asked { assume_defined, ..asked }), start.elapsed())
        });
        Self(answers.collect())
    }

    /// The answer that decides the verdict: the first violation, or else the first property that is not known to hold, or else the last one.
    pub fn decisive(&self) -> &Report {
        let reports = || self.0.iter().map(|(report, _)| report);
        let violated = reports().find(|report| matches!(report.verdict, Verdict::Violated(_)));
        let open = || reports().find(|report| report.verdict != Verdict::Holds);
        let last = || reports().next_back().expect("some property should be asked for");
        violated.or_else(open).unwrap_or_else(last)
    }

    /// The table; empty if there is only one property.
    pub fn table(&self) -> String {
        if self.0.len() == 1 {
            return String::new();
        }
        let wide = self.0.iter().map(|(report, _)| report.property.name().len()).max().unwrap_or_default();
        let mut text = String::new();
        for (report, time) in &self.0 {
            let (name, seconds) = (report.property.name(), time.as_secs_f64());
            let _ = writeln!(text, "{name:wide$}  {seconds:6.1} s  {}", report.verdict);
        }
        text
    }
}
