//! Baselines: violations that are known already, so that only new ones fail.
//!
//! A violation is known by its [fingerprint](report::summary::Finding::fingerprint), the one that SARIF has: it depends on the property and on the texts of the lines in
//! which it happens, not on their numbers. The file is JSON, with what people need to recognise a finding beside the fingerprint.
//!
//! # Direction of error
//! Two violations of one property in the same lines are the same finding, even if other executions lead there. A verdict stays what it is: a program with known violations is not proved.

use crate::several::Answers;
use crate::verdict::Verdict;
use report::summary::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first version of the format.
const FORMAT: &str = "threadproof-baseline/1";

/// Violations that are known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Baseline {
    format: String,
    findings: Vec<KnownFinding>,
}

/// A violation that is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct KnownFinding {
    fingerprint: String,
    property: String,
    /// Where it was when it was written down.
    place: String,
    title: String,
    /// Why it is accepted, in the user's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reason: Option<String>,
}

impl Baseline {
    /// Reads a file; an error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let read: Self =
            serde_json::from_str(&text).map_err(|error| format!("it is no baseline ({error})"))?;
        match read.format == FORMAT {
            true => Ok(read),
            false => Err(format!("its format is `{}`, not `{FORMAT}`", read.format)),
        }
    }

    /// All violations among the answers; those that `before` knows keep their reasons.
    pub fn of(answers: &Answers, files: &[PathBuf], before: Option<&Baseline>) -> Self {
        let known = |finding: &Finding<'_>| {
            let (file, line, _) = finding.place();
            let fingerprint = finding.fingerprint();
            let earlier = before.and_then(|it| it.findings.iter().find(|f| f.fingerprint == fingerprint));
            KnownFinding {
                reason: earlier.and_then(|it| it.reason.clone()),
                fingerprint,
                property: finding.property.to_owned(),
                place: format!("{file}:{line}"),
                title: finding.title(),
            }
        };
        let summary = answers.summary(files, String::new(), String::new());
        let found: BTreeMap<String, KnownFinding> =
            summary.findings().map(|finding| (finding.fingerprint(), known(&finding))).collect();
        Self { format: FORMAT.to_owned(), findings: found.into_values().collect() }
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("a baseline should have only keys that are strings") + "\n"
    }

    /// Marks the violations that are known; what is said of each.
    pub fn apply(&self, answers: &mut Answers, files: &[PathBuf]) -> Vec<String> {
        let summary = answers.summary(files, String::new(), String::new());
        let mut said = Vec::new();
        let mut unknown = Vec::new();
        for finding in summary.findings() {
            match self.find(&finding) {
                None => unknown.push(finding.property),
                Some(it) => {
                    let reason = it.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                    said.push((
                        finding.property,
                        format!("known: {}: {}{reason}", finding.property, finding.title()),
                    ));
                }
            }
        }
        answers.mark_known(|report| match (&report.verdict, &report.counterexample) {
            (Verdict::Violated(property), Some(lanes)) => {
                self.find(&Finding { property: property.name(), lanes, known: false }).is_some()
            }
            // A race is undefined behaviour, too, and shown by another answer.
            (Verdict::Violated(property), None) => {
                !unknown.contains(&property.name()) && said.iter().any(|(known, _)| *known == property.name())
            }
            _ => false,
        });
        said.into_iter().map(|(_, line)| line).collect()
    }

    fn find(&self, finding: &Finding<'_>) -> Option<&KnownFinding> {
        let fingerprint = finding.fingerprint();
        self.findings.iter().find(|it| it.fingerprint == fingerprint)
    }
}
