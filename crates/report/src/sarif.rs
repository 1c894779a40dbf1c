//! Findings as SARIF 2.1.0, the format of code scanning.
//!
//! | in SARIF | here |
//! |---|---|
//! | a rule | a property |
//! | a result | a violated property: where it happens, its counterexample |
//! | a `threadFlow` | a thread: its steps, numbered over all threads by `executionOrder` |
//! | `state` of a step | the values read and written |
//! | `partialFingerprints` | [`Finding::fingerprint`](crate::summary::Finding::fingerprint) |
//! | a notification | a property without an answer; what is odd about the files |
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use crate::lanes::{Lanes, Note, Row};
use crate::summary::{Finding, Status, Summary, explained};
use crate::{Diagnostic, Level};
use serde_json::{Map, Value, json};

/// Steps of a thread beyond this number are left out, the earliest first: code scanning refuses longer flows.
const MOST_STEPS: usize = 5_000;

/// The document.
pub fn render(summary: &Summary<'_>) -> String {
    let mut rules: Vec<&'static str> = Vec::new();
    for answer in &summary.answers {
        for property in [answer.property, answer.violated] {
            if !rules.contains(&property) {
                rules.push(property);
            }
        }
    }
    let results: Vec<Value> = summary.findings().map(|finding| result(&finding, &rules)).collect();
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "threadproof",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|property| rule(property)).collect::<Vec<_>>(),
            }},
            "columnKind": "utf16CodeUnits",
            "invocations": [invocation(summary)],
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(property: &str) -> Value {
    let (title, help) = explained(property);
    json!({
        "id": property,
        "name": property,
        "shortDescription": { "text": title },
        "fullDescription": { "text": help },
        "help": { "text": help, "markdown": format!("**{title}.** {help}") },
        "defaultConfiguration": { "level": "error" },
    })
}

fn invocation(summary: &Summary<'_>) -> Value {
    let open = summary.answers.iter().filter(|answer| answer.status == Status::Open).map(|answer| {
        let reason = answer.reason.as_deref().unwrap_or("no answer");
        json!({
            "level": "warning",
            "message": { "text": format!("{} is open: {reason}", answer.property) },
            "associatedRule": { "id": answer.property },
        })
    });
    let is_read = summary.diagnostics.iter().all(|diagnostic| diagnostic.level != Level::Error);
    json!({
        "executionSuccessful": is_read,
        "commandLine": summary.command,
        "toolExecutionNotifications":
            summary.diagnostics.iter().map(notification).chain(open).collect::<Vec<_>>(),
    })
}

fn notification(diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut value = json!({ "level": level, "message": { "text": diagnostic.message } });
    if !diagnostic.file.is_empty() {
        let place = physical(&diagnostic.file, diagnostic.span.line, diagnostic.span.col);
        value["locations"] = json!([{ "physicalLocation": place }]);
    }
    value
}

fn result(finding: &Finding<'_>, rules: &[&str]) -> Value {
    let (file, line, column) = finding.place();
    let lanes = finding.lanes;
    let mut value = json!({
        "ruleId": finding.property,
        "level": "error",
        "kind": "fail",
        "message": { "text": finding.text() },
        "partialFingerprints": { "threadproof/v1": finding.fingerprint() },
        "codeFlows": [{
            "message": { "text": "an execution that violates the property" },
            "threadFlows": (0..lanes.threads.len()).map(|thread| thread_flow(lanes, thread)).collect::<Vec<_>>(),
        }],
        "relatedLocations": related(finding),
    });
    if finding.known {
        value["suppressions"] = json!([{ "kind": "external", "justification": "it is in the baseline" }]);
    }
    if let Some(index) = rules.iter().position(|rule| *rule == finding.property) {
        value["ruleIndex"] = json!(index);
    }
    value["locations"] = match line {
        0 => json!([]),
        _ => json!([{ "physicalLocation": physical(file, line, column) }]),
    };
    value
}

/// The accesses of a race, or where threads wait.
fn related(finding: &Finding<'_>) -> Vec<Value> {
    let lanes = finding.lanes;
    let accesses = finding.places().into_iter().filter(|_| lanes.race.is_some()).map(|row| {
        let message = format!("{}: {}", lanes.threads[row.thread], words(row));
        (message, row.file.as_str(), row.line, row.column)
    });
    let waits = lanes.waits.iter().filter(|wait| wait.line > 0).map(|wait| {
        let what = match (&wait.object, wait.end_of) {
            (Some(object), _) => object.clone(),
            (None, Some(thread)) => format!("the end of {}", lanes.threads[thread]),
            (None, None) => "something".to_owned(),
        };
        let message = format!("{} waits for {what}", lanes.threads[wait.thread]);
        (message, wait.file.as_str(), wait.line, 0)
    });
    let location = |(id, (message, file, line, column)): (usize, (String, &str, u32, u32))| {
        json!({
            "id": id,
            "message": { "text": message },
            "physicalLocation": physical(file, line, column),
        })
    };
    accesses.chain(waits).enumerate().map(location).collect()
}

fn thread_flow(lanes: &Lanes, thread: usize) -> Value {
    let steps = lanes.rows.iter().enumerate().filter(|(_, row)| row.thread == thread && row.line > 0);
    let steps: Vec<(usize, &Row)> = steps.collect();
    let last = steps.len().saturating_sub(MOST_STEPS);
    let locations = steps[last..].iter().map(|(n, row)| step(*n + 1, row));
    json!({
        "id": lanes.threads[thread],
        "message": { "text": format!("thread {}", lanes.threads[thread]) },
        "locations": locations.collect::<Vec<_>>(),
    })
}

fn step(n: usize, row: &Row) -> Value {
    let mut state = Map::new();
    for note in &row.notes {
        if let Note::Read { name, value, .. } | Note::Write { name, value, .. } = note {
            state.insert(name.clone(), json!({ "text": value }));
        }
    }
    json!({
        "executionOrder": n,
        "nestingLevel": row.stack.len().saturating_sub(1),
        "importance": if row.visible { "essential" } else { "unimportant" },
        "location": {
            "message": { "text": words(row) },
            "physicalLocation": physical(&row.file, row.line, row.column),
        },
        "state": state,
    })
}

/// What a step does, or its text.
fn words(row: &Row) -> String {
    let notes: Vec<String> = row.notes.iter().map(Note::text).collect();
    if notes.is_empty() { row.text.clone() } else { notes.join(", ") }
}

fn physical(file: &str, line: u32, column: u32) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if line > 0 {
        place["region"] = json!({ "startLine": line });
        if column > 0 {
            place["region"]["startColumn"] = json!(column);
        }
    }
    place
}

/// A path as a reference that URIs may have (RFC 3986): relative ones stay so.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{race, summary};

    #[test]
    fn a_flow_for_each_thread() {
        let lanes = race(10);
        let files = ["src/a b.c".into()];
        let document: Value = serde_json::from_str(&render(&summary(&lanes, &files))).unwrap();
        let result = &document["runs"][0]["results"][0];
        let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
        assert_eq!(flows.len(), 2);
        let orders = |flow: &Value| -> Vec<u64> {
            flow["locations"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["executionOrder"].as_u64().unwrap())
                .collect()
        };
        assert_eq!((orders(&flows[0]), orders(&flows[1])), (vec![1, 2], vec![3]));
        assert_eq!(flows[1]["locations"][0]["state"]["x"]["text"], "0");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
            (&json!("src/a%20b.c"), &json!(11))
        );
        assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 2);
        let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), 3);
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("./src/ä.c"), "src/%C3%A4.c");
        assert_eq!(uri("/a/b.c"), "file:///a/b.c");
    }
}
