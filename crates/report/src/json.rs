//! Diagnostics, lanes, explanations and statistics as JSON.

use crate::invariants::{Explanation, ProgramPoint};
use crate::lanes::{Lanes, Note, NoteKind};
use crate::{Diagnostic, Level};
use base::Stats;
use base::stats::Metric;
use serde_json::{Map, Value, json};

/// A diagnostic; `line` and `column` are missing for a message about a file as a whole.
pub fn diagnostic(diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.level {
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut object = json!({ "level": level, "message": diagnostic.message });
    if !diagnostic.file.is_empty() {
        object["file"] = json!(diagnostic.file);
    }
    if diagnostic.span.is_somewhere() {
        object["line"] = json!(diagnostic.span.line);
        object["column"] = json!(diagnostic.span.col);
    }
    if let Some(help) = &diagnostic.help {
        object["help"] = json!(help);
    }
    object
}

/// An execution: its threads, all its steps (nothing is folded) and how it ends.
pub fn lanes(lanes: &Lanes) -> Value {
    let steps: Vec<Value> = lanes
        .rows
        .iter()
        .enumerate()
        .map(|(n, row)| {
            let notes: Vec<Value> = row.notes.iter().map(note).collect();
            json!({
                "step": n + 1, "thread": row.thread, "file": row.file, "line": row.line, "text": row.text,
                "function": row.function, "visible": row.visible, "notes": notes,
            })
        })
        .collect();
    json!({ "threads": lanes.threads, "steps": steps, "ending": lanes.ending })
}

fn note(note: &Note) -> Value {
    let kind = match note.kind {
        NoteKind::Read => "read",
        NoteKind::Write => "write",
        NoteKind::Input => "input",
        NoteKind::Event => "event",
    };
    if note.kind == NoteKind::Event {
        return json!({ "kind": kind, "text": note.name });
    }
    json!({ "kind": kind, "name": note.name, "value": note.value })
}

/// Why a property holds; nothing is cut off.
pub fn explanation(explanation: &Explanation) -> Value {
    match explanation {
        Explanation::Stated { reason } => json!({ "kind": "stated", "reason": reason }),
        Explanation::Explored { n_states } => json!({ "kind": "explored", "states": n_states }),
        Explanation::Invariants { n_nodes, places, n_silent } => {
            let places: Vec<Value> = places.iter().map(place).collect();
            json!({ "kind": "invariants", "nodes": n_nodes, "places": places, "silent_places": n_silent })
        }
    }
}

fn place(place: &ProgramPoint) -> Value {
    let cases = place.cases.iter().map(|case| json!({ "holds": case.holds, "others": case.others }));
    json!({
        "thread": place.thread, "file": place.file, "line": place.line, "text": place.text,
        "always": place.always, "cases": cases.collect::<Vec<_>>(), "silent_cases": place.n_silent,
    })
}

/// Statistics as one object, in their own order.
pub fn stats(stats: &Stats) -> Value {
    let figures = stats.iter().map(|(name, figure)| {
        let value = match figure {
            Metric::Count(n) => json!(n),
            Metric::Measure(x) => json!((x * 1e6).round() / 1e6),
            Metric::Name(text) => json!(text),
        };
        (name.to_owned(), value)
    });
    Value::Object(figures.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{FileId, Span};

    #[test]
    fn diagnostics_keep_what_they_know() {
        let mut d = Diagnostic::about_file(Level::Warning, "a.c", "odd");
        assert_eq!(diagnostic(&d).to_string(), r#"{"level":"warning","message":"odd","file":"a.c"}"#);
        d.span = Span { file: FileId(0), line: 3, col: 7 };
        assert_eq!(diagnostic(&d)["column"], 7);
    }

    #[test]
    fn stats_keep_their_order() {
        let mut s = Stats::default();
        s.name("engine", "explore");
        s.add("nodes", 3);
        s.measure("total_s", 0.25);
        assert_eq!(stats(&s).to_string(), r#"{"engine":"explore","nodes":3,"total_s":0.25}"#);
    }
}
