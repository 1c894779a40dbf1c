//! A proof as data for the renderer: what holds at which line, and what protects shared memory.

use crate::checks::{Check, CheckVerdict};
use crate::invariants::{Explanation, ProgramPoint};
use crate::summary::{Answer, explained};
use serde_json::{Value, json};

/// Cases of a program point beyond this number are counted only.
const MOST_CASES: usize = 8;

/// Why a property holds.
pub(super) fn data(id: &str, answer: &Answer<'_>, explanation: &Explanation) -> Value {
    let (summary, notes) = match explanation {
        Explanation::Stated { reason } => (format!("It holds because {reason}."), Vec::new()),
        Explanation::Explored { n_states } => (
            format!(
                "All {n_states} states that the program can reach were looked at, and none of them violates the property."
            ),
            Vec::new(),
        ),
        Explanation::Invariants { n_nodes, places, n_silent } => (
            format!(
                "Whenever a thread is at a line, what is said beside it holds before the line is executed, whatever the others do: all that is always so, and one of the cases. \
                 The proof has {n_nodes} nodes and was checked; places of threads where nothing need hold: {n_silent}."
            ),
            places.iter().flat_map(notes).collect(),
        ),
    };
    // What single checks leave open is proved otherwise: it has no protection to tell of.
    let is_proved = |check: &&Check| check.verdict == CheckVerdict::Proved;
    let checks = answer.checks.iter().flat_map(|checks| &checks.checks).filter(is_proved);
    let mut files: Vec<&Value> = Vec::new();
    for note in &notes {
        if !files.contains(&&note["file"]) {
            files.push(&note["file"]);
        }
    }
    json!({
        "id": id,
        "property": answer.property,
        "title": explained(answer.property).0,
        "summary": summary,
        "protections": checks.map(protection).collect::<Vec<_>>(),
        "files": files,
        "notes": notes,
    })
}

fn notes(place: &ProgramPoint) -> Vec<Value> {
    let note = |kind: &str, text: &str, when: Option<String>| {
        let mut value = json!({
            "file": place.file, "line": place.line, "thread": place.thread, "kind": kind, "text": text,
        });
        if let Some(when) = when {
            value["when"] = json!(when);
        }
        value
    };
    let mut notes: Vec<Value> = place.always.iter().map(|fact| note("always", fact, None)).collect();
    for case in place.cases.iter().take(MOST_CASES) {
        let more = match case.others.len() {
            0 | 1 => String::new(),
            n => format!("; or {} more", n - 1),
        };
        let when = case.others.first().map(|others| format!("{others}{more}"));
        notes.push(note("case", &case.holds, when));
    }
    if let Some(n_more) = place.cases.len().checked_sub(MOST_CASES + 1) {
        notes.push(note("case", &format!("… {} more", n_more + 1), None));
    }
    notes
}

fn protection(check: &Check) -> Value {
    json!({ "object": check.location, "status": "proved", "text": check.reasons.join(", ") })
}
