//! What is known of a program as an editor shows it: diagnostics, traces, hints, lenses.
//!
//! | in the protocol | here |
//! |---|---|
//! | an error | a violated property, where it happens: the last step, of a race the later access |
//! | related information | the other access of a race; where each thread of a deadlock waits |
//! | an error or a warning | what is wrong or odd about the C |
//! | a hover | how a variable is protected, or what a lock protects |
//! | a code lens | "verify" above each function, with the last answer |
//! | the result of the command `threadproof.trace` | the steps of the counterexample |

use super::text::{range, uri_of, word_at};
use super::work::Known;
use report::checks::{Check, CheckVerdict};
use report::lanes::{Note, Row};
use report::summary::{Finding, Summary};
use report::{Diagnostic, Lanes, Level};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use threadproof::Verdict;

/// The text of a file as the editor sees it.
pub type TextOf<'a> = &'a dyn Fn(&Path) -> String;

/// The names of the commands that the server executes.
pub const COMMANDS: [&str; 3] = ["threadproof.verify", "threadproof.verifyFunction", "threadproof.trace"];

/// The diagnostics of all files, by URI; the files of the program have a list, if only an empty one.
pub fn diagnostics(known: &Known, text_of: TextOf<'_>) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> =
        known.files.iter().map(|file| (uri_of(file), Vec::new())).collect();
    let first = known.files.first().map(|file| file.display().to_string()).unwrap_or_default();
    // What is odd about a program as a whole (it has no assertion) is at no place.
    let is_shown = |it: &&Diagnostic| it.span.is_somewhere() || it.level == Level::Error;
    for diagnostic in known.diagnostics.iter().filter(is_shown) {
        let file = if diagnostic.file.is_empty() { &first } else { &diagnostic.file };
        let shown = about_c(diagnostic, &text_of(Path::new(file)));
        found.entry(uri_of(Path::new(file))).or_default().push(shown);
    }
    let Some(summary) = summary(known) else { return found };
    for finding in summary.findings() {
        let (file, ..) = finding.place();
        let file = if file.is_empty() { &first } else { file };
        found.entry(uri_of(Path::new(file))).or_default().push(violation(&finding, text_of));
    }
    found
}

fn summary(known: &Known) -> Option<Summary<'_>> {
    let answers = known.answers.as_ref()?;
    Some(answers.summary(&known.files, String::new(), String::new()))
}

fn about_c(diagnostic: &Diagnostic, text: &str) -> Value {
    let (line, column) = (diagnostic.span.line.max(1), diagnostic.span.col);
    // Behind a macro the columns are not those of the file.
    let is_same_line = text.lines().nth(line as usize - 1).is_some_and(|line| line == diagnostic.line_text);
    let (column, len) = if is_same_line { (column, Some(diagnostic.mark_len)) } else { (0, None) };
    let help = diagnostic.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    json!({
        "range": range(text, line, column, len),
        "severity": match diagnostic.level { Level::Error => 1, Level::Warning => 2, Level::Note => 3 },
        "source": "threadproof",
        "message": format!("{}{help}", diagnostic.message),
    })
}

fn violation(finding: &Finding<'_>, text_of: TextOf<'_>) -> Value {
    let (file, line, column) = finding.place();
    let located = |file: &str, line: u32, column: u32, message: String| {
        let text = text_of(Path::new(file));
        let range = range(&text, line, column, None);
        json!({ "location": { "uri": uri_of(Path::new(file)), "range": range }, "message": message })
    };
    let lanes = finding.lanes;
    let accesses = lanes.race.iter().flat_map(|race| {
        let steps = finding.places().into_iter().zip(race.writes.into_iter().rev());
        steps.map(|(row, writes)| {
            let kind = if writes { "writes" } else { "reads" };
            let message = format!("{} {kind} {}", lanes.threads[row.thread], race.object);
            located(&row.file, row.line, row.column, message)
        })
    });
    let waits = lanes.waits.iter().filter(|wait| wait.line > 0).map(|wait| {
        let what = match (&wait.object, wait.end_of) {
            (Some(object), _) => object.clone(),
            (None, Some(thread)) => format!("the end of {}", lanes.threads[thread]),
            (None, None) => "something".to_owned(),
        };
        located(&wait.file, wait.line, 0, format!("{} waits for {what}", lanes.threads[wait.thread]))
    });
    let related: Vec<Value> = accesses.chain(waits).collect();
    json!({
        "range": range(&text_of(Path::new(file)), line.max(1), column, None),
        "severity": 1,
        "code": finding.property,
        "source": "threadproof",
        "message": finding.text(),
        "relatedInformation": related,
        "data": { "property": finding.property, "steps": lanes.rows.len(), "threads": lanes.threads.len() },
    })
}

/// The steps of the counterexample to a property, or of the first one.
pub fn trace(known: &Known, property: Option<&str>, text_of: TextOf<'_>) -> Value {
    let Some(summary) = summary(known) else { return Value::Null };
    let mut findings = summary.findings();
    let Some(finding) = findings.find(|finding| property.is_none_or(|name| finding.property == name)) else {
        return Value::Null;
    };
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut steps = Vec::new();
    for (n, row) in finding.lanes.rows.iter().enumerate().filter(|(_, row)| row.line > 0) {
        let text = texts.entry(&row.file).or_insert_with(|| text_of(Path::new(&row.file)));
        steps.push(step(finding.lanes, n, row, text));
    }
    json!({
        "property": finding.property,
        "threads": finding.lanes.threads,
        "ending": finding.lanes.ending,
        "steps": steps,
    })
}

fn step(lanes: &Lanes, n: usize, row: &Row, text: &str) -> Value {
    json!({
        "step": n + 1,
        "thread": lanes.threads[row.thread],
        "uri": uri_of(Path::new(&row.file)),
        "range": range(text, row.line, row.column, None),
        "text": row.text.trim(),
        "function": row.function,
        "visible": row.visible,
        "notes": row.notes.iter().map(Note::text).collect::<Vec<_>>(),
        "held": row.held,
    })
}

/// What is known of the variable or lock at a position.
pub fn hover(known: &Known, text: &str, line: u64, character: u64) -> Option<Value> {
    let (word, range) = word_at(text, line, character)?;
    let checks = known.answers.as_ref()?.reports().find_map(|report| report.checks.as_ref())?;
    let of_word: Vec<&Check> = checks.checks.iter().filter(|check| names(&check.location, &word)).collect();
    let guarded: Vec<&str> = checks
        .checks
        .iter()
        .filter(|check| check.locks.iter().any(|lock| names(lock, &word)))
        .map(|check| check.location.as_str())
        .collect();
    let mut lines: Vec<String> = of_word.iter().take(SHOWN).map(|check| protection(check)).collect();
    if of_word.len() > SHOWN {
        lines.push(format!("… and {} more parts", of_word.len() - SHOWN));
    }
    if !guarded.is_empty() {
        let names: Vec<String> = guarded.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
        let more = guarded.len().checked_sub(SHOWN + 1).map(|n| format!(" and {} more", n + 1));
        lines.push(format!("`{word}` protects {}{}", names.join(", "), more.unwrap_or_default()));
    }
    (!lines.is_empty())
        .then(|| json!({ "contents": { "kind": "markdown", "value": lines.join("\n\n") }, "range": range }))
}

/// The number of memory locations that a hover names.
const SHOWN: usize = 8;

/// Returns true if a memory location is the variable, or a part of it.
fn names(location: &str, variable: &str) -> bool {
    // A local variable is called after its function.
    let own = location.rsplit(':').next().unwrap_or(location);
    let rest = if location.contains('@') { None } else { own.strip_prefix(variable) };
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', '[']))
}

fn protection(check: &Check) -> String {
    let Check { location, verdict, reasons, locks, accesses, .. } = check;
    match verdict {
        CheckVerdict::Proved if locks.is_empty() => {
            format!("`{location}`: no data race ({})", reasons.join(", "))
        }
        CheckVerdict::Proved => {
            let locks: Vec<String> = locks.iter().map(|lock| format!("`{lock}`")).collect();
            format!("`{location}` is protected by {} ({})", locks.join(", "), reasons.join(", "))
        }
        CheckVerdict::Violated | CheckVerdict::Open => {
            let known = if *verdict == CheckVerdict::Violated { "a data race" } else { "not proved" };
            let line = |access: &report::checks::CheckAccess| {
                let kind = if access.write { "write" } else { "read" };
                let locks = match access.locks.is_empty() {
                    true => "no lock".to_owned(),
                    false => access.locks.join(", "),
                };
                format!("- {kind} at {} in `{}` ({locks})", access.place, access.function)
            };
            let accesses: Vec<String> = accesses.iter().map(line).collect();
            format!("`{location}`: {known}\n{}", accesses.join("\n"))
        }
    }
}

/// The lenses of a file: above the function where the program starts, and above the others that can be called.
pub fn lenses(known: &Known, file: &Path, uri: &str, text: &str, first: &str) -> Vec<Value> {
    let is_here = |name: &str| Path::new(name) == file || super::work::is_same(Path::new(name), file);
    let mut lenses = Vec::new();
    for function in known.functions.iter().filter(|function| is_here(&function.file)) {
        let (title, command, arguments) = if function.name == first {
            (program_title(known), COMMANDS[0], json!([uri]))
        } else if function.external {
            ("▶ verify with any callers".to_owned(), COMMANDS[1], json!([uri, function.name]))
        } else {
            continue;
        };
        lenses.push(json!({
            "range": range(text, function.line, 0, None),
            "command": { "title": title, "command": command, "arguments": arguments },
        }));
    }
    lenses
}

fn program_title(known: &Known) -> String {
    let Some(answers) = &known.answers else { return "▶ verify this program".to_owned() };
    let of = |is_meant: &dyn Fn(&Verdict) -> bool| {
        let meant = answers.reports().filter(|report| is_meant(&report.verdict));
        meant.map(|report| report.property.name()).collect::<Vec<_>>().join(", ")
    };
    let violated = of(&|verdict| matches!(verdict, Verdict::Violated(_)));
    let open = of(&|verdict| !matches!(verdict, Verdict::Violated(_) | Verdict::Holds));
    match (violated.as_str(), open.as_str()) {
        ("", "") => format!("✓ proved: {} · verify again", of(&|verdict| *verdict == Verdict::Holds)),
        ("", open) => format!("▶ verify this program (open: {open})"),
        (violated, _) => format!("✗ violated: {violated} · verify again"),
    }
}

/// What was found out, in short: the result of the commands that verify.
pub fn answer(known: &Known, text_of: TextOf<'_>) -> Value {
    let Some(answers) = &known.answers else {
        return json!({ "verdict": "unknown(input error)", "properties": [], "trace": null });
    };
    let properties = answers.reports().map(|report| {
        json!({
            "property": report.property.name(),
            "verdict": report.verdict.to_string(),
            "assumptions": report.assumptions,
        })
    });
    json!({
        "verdict": answers.decisive().verdict.to_string(),
        "properties": properties.collect::<Vec<_>>(),
        "trace": trace(known, None, text_of),
    })
}

/// What can be done about the diagnostics that the editor names: to see the trace.
pub fn actions(uri: &str, diagnostics: &[Value]) -> Vec<Value> {
    let shows = |diagnostic: &&Value| {
        diagnostic["source"] == "threadproof" && diagnostic["data"]["property"].is_string()
    };
    let action = |diagnostic: &Value| {
        let data = &diagnostic["data"];
        let title = format!("Show the trace ({} steps, {} threads)", data["steps"], data["threads"]);
        let command = json!({ "title": title, "command": COMMANDS[2], "arguments": [uri, data["property"]] });
        json!({ "title": title, "kind": "quickfix", "diagnostics": [diagnostic], "command": command })
    };
    diagnostics.iter().filter(shows).map(action).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn parts_of_variables_are_named() {
        for (location, variable, expected) in [
            ("counter", "counter", true),
            ("queue+8", "queue", true),
            ("queue[*4]", "queue", true),
            ("main:lock", "lock", true),
            ("counters", "counter", false),
            ("heap@a.c:7", "a", false),
        ] {
            assert_eq!(names(location, variable), expected, "{location} {variable}");
        }
    }
}
