//! The report as one HTML file that needs nothing else: no network, no libraries.
//!
//! The file holds the report's data as JSON, and a renderer (`report.js`, `report.css`) that draws them in the browser: an overview of the checks; for each finding the
//! threads' lanes as a picture, with the source, the values and, for a deadlock, the wait-for graph beside it; for each proof the source with what holds in the margin. Only the rows that can be seen are in
//! the document, so that thousands of steps are no problem.
//!
//! Principles of the renderer:
//!
//! 1. The verdict comes first, then the evidence.
//! 2. One step is the current one; it drives the lanes, the source, the values and the address (`#f1/33`).
//! 3. A step says what it does; its line of source comes second.
//! 4. Steps that other threads cannot observe are folded, never left out; a fold says how many they are.
//! 5. Colour is the thread, and nothing else; red is the violation. What has a colour has a number or a word, too.
//! 6. Open checks say why they are open; assumptions are on the first page.
//!
//! [`data`](self) turns a [`Summary`] into the JSON:
//!
//! ```text
//! format, tool {name, version}, command, assumptions [text], summary {seconds, peak_mb}
//! program  {name, model, files [{path, text}]}
//! verdict  {status: proved|violated|open, text}
//! checks   [{property, title, status, detail, counts? {total, proved, violated, open}, engine, seconds, evidence? {finding | proof}}]
//! objects  [{name, kind: variable|lock, initial?}]               shared things; locals are "thread.variable" in events
//! findings [{id, title, summary, at {file, line}, ending [line], threads [{name}],
//!            steps [{n, thread, file, line, text, visible, held [lock], stack [{function, file, line}],
//!                    events [{kind: read|write, object, value} | {kind: lock|unlock, object} | {kind: wait, object | thread}
//!                            | {kind: start|join, thread} | {kind: end} | {kind: event, text}]}],
//!            race?     {object, accesses [2 × {step, access, held}], common_locks},
//!            deadlock? {waits [{thread, for {lock | end_of}, holder?, step, holder_since?}], cycle [{thread} | {lock}]}}]
//! proofs   [{id, title, summary, protections [{object, status, text}], files [path], notes [{file, line, thread, kind: always|case, text, when?}]}]
//! ```

mod finding;
mod proof;

use crate::checks::CheckVerdict;
use crate::sources::Sources;
use crate::summary::{Answer, Status, Summary, explained};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The document; `sources` has the text of the files.
pub fn render(summary: &Summary<'_>, sources: &mut Sources) -> String {
    // `<` could end the element that holds the data.
    let data = data(summary, sources).to_string().replace('<', "\\u003c");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>threadproof report</title>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"top\" id=\"top\"></header>\n<main id=\"main\"></main>\n\
         <div class=\"tip\" id=\"tip\" role=\"tooltip\"></div>\n<div class=\"sr\" id=\"live\" aria-live=\"polite\"></div>\n\
         <dialog id=\"help\" aria-label=\"Keyboard\"></dialog>\n\
         <noscript><p style=\"padding:24px\">This report draws itself with JavaScript from the data in the file.</p></noscript>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// What the renderer draws.
fn data(summary: &Summary<'_>, sources: &mut Sources) -> Value {
    let mut objects = finding::Objects::default();
    let (mut checks, mut findings, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
    for answer in &summary.answers {
        let mut check = check(answer);
        if let (Some(lanes), Status::Violated) = (answer.counterexample, answer.status) {
            let id = format!("f{}", findings.len() + 1);
            check["evidence"] = json!({ "finding": id });
            findings.push(finding::data(&id, answer.violated, lanes, &mut objects));
        } else if let (Some(explanation), Status::Proved) = (answer.explanation, answer.status) {
            let id = format!("p{}", proofs.len() + 1);
            check["evidence"] = json!({ "proof": id });
            proofs.push(proof::data(&id, answer, explanation));
        }
        checks.push(check);
    }
    let mut assumptions: Vec<&String> = Vec::new();
    for assumption in summary.answers.iter().flat_map(|answer| answer.assumptions) {
        if !assumptions.contains(&assumption) {
            assumptions.push(assumption);
        }
    }
    let (status, text) = verdict(summary);
    json!({
        "format": "threadproof-html/1",
        "tool": { "name": "threadproof", "version": env!("CARGO_PKG_VERSION") },
        "command": summary.command,
        "assumptions": assumptions,
        "summary": { "seconds": summary.seconds, "peak_mb": summary.peak_mb.round() },
        "program": { "name": summary.name(), "model": summary.machine, "files": files(&findings, &proofs, sources) },
        "verdict": { "status": status.name(), "text": text },
        "checks": checks,
        "objects": objects.to_json(),
        "findings": findings,
        "proofs": proofs,
    })
}

fn verdict(summary: &Summary<'_>) -> (Status, String) {
    let n = summary.answers.len();
    let having = |status| summary.answers.iter().filter(move |answer| answer.status == status);
    let (violated, open) = (having(Status::Violated).count(), having(Status::Open).count());
    let titles: Vec<&str> = summary.answers.iter().map(|answer| explained(answer.property).0).collect();
    match (violated, open, n) {
        (0, 0, 1) => (Status::Proved, titles[0].to_owned()),
        (0, 0, n) => (Status::Proved, format!("All {n} properties hold")),
        (0, open, n) => {
            let errors = summary.diagnostics.iter().filter(|it| it.level == crate::Level::Error);
            let text = errors.map(|it| it.message.clone()).next();
            (
                Status::Open,
                text.unwrap_or_else(|| format!("{open} of {n} properties {} open", is_or_are(open))),
            )
        }
        (1, _, _) => {
            let what = summary.findings().next().map(|finding| finding.title());
            (Status::Violated, what.map_or_else(|| summary.verdict.clone(), |what| capitalised(&what)))
        }
        (violated, _, n) => (Status::Violated, format!("{violated} of {n} properties are violated")),
    }
}

fn is_or_are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// Begins with an upper-case letter, unless that would change a name.
fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + characters.as_str()
}

fn check(answer: &Answer<'_>) -> Value {
    let (title, _) = explained(answer.property);
    let detail = match answer.status {
        Status::Proved => answer.notes.first().cloned().unwrap_or_default(),
        Status::Violated => {
            answer.counterexample.and_then(|it| it.ending.first()).cloned().unwrap_or_default()
        }
        Status::Open => answer.reason.clone().unwrap_or_default(),
    };
    let mut value = json!({
        "property": answer.property,
        "title": title,
        "status": answer.status.name(),
        "detail": detail,
        "engine": answer.engine,
        "seconds": answer.seconds,
    });
    // What single checks leave open may be proved for all of them together.
    let n_proved = |checks: &crate::Checks| checks.count(CheckVerdict::Proved);
    let is_superseded =
        |checks: &crate::Checks| answer.status == Status::Proved && n_proved(checks) < checks.checks.len();
    if let Some(checks) = answer.checks.filter(|it| !it.checks.is_empty() && !is_superseded(it)) {
        value["counts"] = json!({
            "total": checks.checks.len(),
            "proved": n_proved(checks),
            "violated": checks.count(CheckVerdict::Violated),
            "open": checks.count(CheckVerdict::Open),
        });
    }
    value
}

/// The texts of all files that findings and proofs name.
fn files(findings: &[Value], proofs: &[Value], sources: &mut Sources) -> Vec<Value> {
    let steps = findings.iter().flat_map(|finding| finding["steps"].as_array().into_iter().flatten());
    let notes = proofs.iter().flat_map(|proof| proof["notes"].as_array().into_iter().flatten());
    let names: BTreeSet<&str> = steps.chain(notes).filter_map(|it| it["file"].as_str()).collect();
    let named = names.into_iter().filter(|name| !name.is_empty());
    named.map(|name| json!({ "path": name, "text": sources.file(name) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{race, summary};

    #[test]
    fn the_data_cannot_end_their_element() {
        let mut lanes = race(10);
        lanes.ending.push("</script><b>".into());
        let files = ["src/a b.c".into()];
        let text = render(&summary(&lanes, &files), &mut Sources::new(&[]));
        let (_, rest) = text.split_once("id=\"report\">").unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        let finding = &data["findings"][0];
        assert_eq!(finding["ending"][2], "</script><b>");
        assert_eq!(finding["race"]["accesses"][1]["step"], 3);
        assert_eq!(finding["race"]["accesses"][0]["access"], "write");
        assert_eq!(data["verdict"]["text"], "Data race on x");
        assert_eq!(data["checks"][1]["status"], "open");
    }
}
