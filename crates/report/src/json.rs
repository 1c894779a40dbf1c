//! Metrics as JSON. The JSON form of everything else is declared where the values are; docs/schema/report.schema.json describes
//! the whole.

use base::Stats;
use base::stats::Metric;
use serde::Serializer;
use serde_json::{Map, Value, json};

/// Metrics as one object, in their own order.
pub fn stats(stats: &Stats) -> Value {
    let metrics = stats.iter().map(|(name, metric)| {
        let value = match metric {
            Metric::Count(n) => json!(n),
            Metric::Measure(x) => json!((x * 1e6).round() / 1e6),
            Metric::Name(text) => json!(text),
        };
        (name.to_owned(), value)
    });
    Value::Object(metrics.collect::<Map<String, Value>>())
}

/// For `#[serde(serialize_with)]`.
pub fn serialize_stats<S: Serializer>(metrics: &Stats, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&stats(metrics), serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Note, Row};
    use crate::{Diagnostic, Explanation, Lanes, Level};
    use base::{FileId, Span};

    fn check(value: &impl serde::Serialize, expected: &str) {
        assert_eq!(serde_json::to_string(value).unwrap(), expected);
    }

    #[test]
    fn diagnostics_keep_what_they_know() {
        let mut d = Diagnostic::about_file(Level::Warning, "a.c", "odd");
        check(&d, r#"{"level":"warning","message":"odd","file":"a.c"}"#);
        d.span = Span { file: FileId(0), line: 3, col: 7 };
        check(&d, r#"{"level":"warning","message":"odd","file":"a.c","line":3,"column":7}"#);
    }

    #[test]
    fn steps_have_numbers() {
        let notes = vec![Note::read("x", "1"), Note::event("ends")];
        let row = Row {
            file: "a.c".into(),
            line: 2,
            text: "x".into(),
            function: "main".into(),
            notes,
            ..Row::default()
        };
        let lanes = Lanes { threads: vec!["main".into()], rows: vec![row], ..Lanes::default() };
        let step = r#"{"step":1,"thread":0,"file":"a.c","line":2,"column":0,"text":"x","function":"main","visible":false,"notes":[{"kind":"read","name":"x","value":"1"},{"kind":"event","text":"ends"}],"held":[],"stack":[]}"#;
        check(&lanes, &format!(r#"{{"threads":["main"],"steps":[{step}],"ending":[]}}"#));
    }

    #[test]
    fn explanations_have_kinds() {
        check(&Explanation::Explored { n_states: 7 }, r#"{"kind":"explored","states":7}"#);
        let invariants = Explanation::Invariants { n_nodes: 3, places: Vec::new(), n_silent: 2 };
        check(&invariants, r#"{"kind":"invariants","nodes":3,"places":[],"silent_places":2}"#);
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
