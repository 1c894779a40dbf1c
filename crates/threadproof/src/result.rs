//! What is known in the end, as text for people and as JSON for programs.

use crate::blockers::{self, Blocker};
use crate::certificate::Certificate;
use crate::replay::script::Script;
use crate::verdict::Verdict;
use base::stats::Metric;
use base::{Inconclusive, Stats};
use evidence::Proof;
use program::Property;
use report::{Checks, Diagnostic, Explanation, Lanes, TerminalStyle, checks, invariants, json, lanes};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// What a proof takes for granted that is not about undefined executions.
pub(crate) const DEFINED: &str = "no execution has undefined behaviour";

/// The answer about a program and a property, and what there is to say about it.
///
/// docs/schema/report.schema.json describes its JSON form.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The answer.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What was asked.
    #[serde(serialize_with = "by_name")]
    pub property: Property,
    /// If the property is violated: the execution that violates it.
    pub counterexample: Option<Lanes>,
    /// If the property holds and [`explain`](crate::Options::explain) is set: why.
    pub explanation: Option<Explanation>,
    /// The answers for single checks, if that was asked for.
    pub checks: Option<Checks>,
    /// What the answer takes for granted.
    pub assumptions: Vec<String>,
    /// What else the answer is worth.
    pub notes: Vec<String>,
    /// If something without a model stands in the way of an answer: all such things, most useful first.
    pub blockers: Vec<Blocker>,
    /// What is wrong or odd about the program's files.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the violation is in the baseline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// What the search cost.
    #[serde(serialize_with = "json::serialize_stats")]
    pub stats: Stats,
    /// The evidence, if [`keep_evidence`](crate::Options::keep_evidence) is set and there is an answer.
    #[serde(skip)]
    pub certificate: Option<Certificate>,
    /// What a native program is forced to do, if [`keep_script`](crate::Options::keep_script) is set and there is a counterexample.
    #[serde(skip)]
    pub script: Option<Script>,
    /// Proofs of what the answer takes for granted, until they are in the certificate.
    #[serde(skip)]
    pub(crate) discharged: Vec<(Property, Proof)>,
}

fn by_name<S: Serializer>(property: &Property, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(property.name())
}

impl Report {
    /// Nothing is known.
    pub(crate) fn without_answer(property: Property, verdict: Verdict) -> Self {
        Self {
            verdict,
            property,
            diagnostics: Vec::new(),
            known: false,
            assumptions: Vec::new(),
            notes: Vec::new(),
            blockers: Vec::new(),
            checks: None,
            counterexample: None,
            explanation: None,
            stats: Stats::default(),
            certificate: None,
            script: None,
            discharged: Vec::new(),
        }
    }

    /// Returns true if the property is violated.
    pub fn is_violation(&self) -> bool {
        matches!(self.verdict, Verdict::Violated(_))
    }

    /// The counterexample or the explanation as text, and the checks that are not proved; empty if there is none of that.
    pub fn text(&self, terminal: TerminalStyle) -> String {
        let lanes =
            self.counterexample.as_ref().map(|counterexample| lanes::render(counterexample, terminal));
        let reasons = || self.explanation.as_ref().map(|e| invariants::render(e, self.property.name()));
        let text = lanes.or_else(reasons).map(|text| text + "\n").unwrap_or_default();
        let open = self.checks.as_ref().filter(|_| self.verdict != Verdict::Holds);
        text + &open.map(checks::render).unwrap_or_default()
    }

    /// What is to be said beside the answer, a line each: assumptions, how far a search came that was stopped, what to try.
    pub fn remarks(&self) -> String {
        let mut text: String = self.assumptions.iter().map(|a| format!("assumed: {a}\n")).collect();
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        text.push_str(&blockers::render(&self.blockers));
        if let Verdict::NoAnswer(
            Inconclusive::Cancelled | Inconclusive::OutOfTime | Inconclusive::OutOfMemory,
        ) = self.verdict
        {
            text.push_str(&format!("stopped: {}\n", counts(&self.stats)));
        }
        if let Some(hint) = self.verdict.hint() {
            text.push_str(&format!("hint: {hint}\n"));
        }
        text
    }

    /// Puts the metrics that every engine is asked for in front, in the order of the contract; 0 where an engine has none.
    pub(crate) fn complete_stats(&mut self, total: Duration) {
        let mut stats = Stats::default();
        stats.name("engine", "none");
        for name in ["nodes", "cover_expansion_nodes", "covers", "refinements", "implications"] {
            stats.add(name, 0);
        }
        for name in CASCADE.into_iter().filter(|level| self.stats.iter().any(|(name, _)| name == *level)) {
            stats.add(name, 0);
        }
        stats.add("solver_implications", 0);
        stats.add("solver_calls", 0);
        stats.measure("solver_s", 0.0);
        stats.measure("total_s", total.as_secs_f64());
        stats.measure("peak_mb", base::budget::peak_bytes() as f64 / 1e6);
        for (name, metric) in self.stats.iter() {
            match metric {
                Metric::Count(n) => stats.add(name, *n),
                Metric::Measure(x) => stats.measure(name, *x),
                Metric::Name(text) => stats.name(name, text),
            }
        }
        self.stats = stats;
    }
}

/// Levels of the implication cascade before the solver; shown where an engine has them.
const CASCADE: [&str; 3] = ["implications_identity", "implications_syntactic", "implications_memo"];

/// How far a search came.
fn counts(stats: &Stats) -> String {
    let counted = stats.iter().filter_map(|(name, metric)| match metric {
        Metric::Count(n) if *n > 0 => Some(format!("{n} {}", name.replace('_', " "))),
        _ => None,
    });
    let counted: Vec<String> = counted.collect();
    if counted.is_empty() {
        "nothing is known yet".to_owned()
    } else {
        format!("{} so far", counted.join(", "))
    }
}
