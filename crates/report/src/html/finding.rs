//! A counterexample as data for the renderer.

use crate::lanes::{Lanes, Note, Row, Wait};
use crate::summary::{Finding, explained};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The shared variables and locks of all findings.
#[derive(Default)]
pub(super) struct Objects {
    names: Vec<String>,
    kinds: BTreeMap<String, &'static str>,
    initial: BTreeMap<String, String>,
}

impl Objects {
    fn meet(&mut self, name: &str, kind: &'static str) {
        if self.kinds.insert(name.to_owned(), kind).is_none() {
            self.names.push(name.to_owned());
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let object = |name: &String| {
            let mut value = json!({ "name": name, "kind": self.kinds[name] });
            if let Some(initial) = self.initial.get(name) {
                value["initial"] = json!(initial);
            }
            value
        };
        self.names.iter().map(object).collect()
    }
}

/// The finding with all its steps. Threads that are blocked in the end have a last step in which they wait.
pub(super) fn data(id: &str, property: &'static str, lanes: &Lanes, objects: &mut Objects) -> Value {
    let finding = Finding { property, lanes, known: false };
    let (file, line, _) = finding.place();
    let mut written: Vec<String> = Vec::new();
    let mut steps: Vec<Value> = Vec::new();
    for row in &lanes.rows {
        let step = step(row, steps.len() + 1, &lanes.threads[row.thread], objects, &mut written);
        steps.push(step);
    }
    let n_taken = steps.len();
    for wait in &lanes.waits {
        steps.push(waiting(wait, steps.len() + 1, &lanes.rows, objects));
    }
    let mut value = json!({
        "id": id,
        "property": property,
        "title": title(&finding),
        "summary": summary(&finding),
        "at": { "file": file, "line": line },
        "ending": lanes.ending,
        "threads": lanes.threads.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        "steps": steps,
    });
    if let (Some(race), [.., first, second]) = (&lanes.race, &lanes.rows[..]) {
        let access = |row: &Row, n: usize, write: bool| json!({ "step": n, "access": if write { "write" } else { "read" }, "held": row.held });
        let common: Vec<&String> = first.held.iter().filter(|lock| second.held.contains(lock)).collect();
        value["race"] = json!({
            "object": race.object,
            "accesses": [access(first, n_taken - 1, race.writes[0]), access(second, n_taken, race.writes[1])],
            "common_locks": common,
        });
    }
    if !lanes.waits.is_empty() {
        value["deadlock"] = deadlock(lanes, n_taken);
    }
    value
}

/// What it is, shortly.
fn title(finding: &Finding<'_>) -> String {
    match (&finding.lanes.race, finding.property) {
        (Some(race), _) => format!("Data race on {}", race.object),
        (None, "no-deadlock") => "Deadlock".to_owned(),
        (None, _) => super::capitalised(&finding.title()),
    }
}

/// The sentence under the title.
fn summary(finding: &Finding<'_>) -> String {
    let lanes = finding.lanes;
    if let (Some(race), [.., first, second]) = (&lanes.race, &lanes.rows[..]) {
        let access = |row: &Row, write: bool| {
            let verb = if write { "writes" } else { "reads" };
            let held = if row.held.is_empty() { "no lock".to_owned() } else { row.held.join(", ") };
            format!("{} {verb} it in line {}, holding {held}", lanes.threads[row.thread], row.line)
        };
        return format!("{}; {}.", access(first, race.writes[0]), access(second, race.writes[1]));
    }
    let waits = lanes.waits.iter().map(|wait| {
        let what = match (&wait.object, wait.end_of) {
            (Some(object), _) => object.clone(),
            (None, Some(thread)) => format!("the end of {}", lanes.threads[thread]),
            (None, None) => "something".to_owned(),
        };
        format!("{} waits for {what}", lanes.threads[wait.thread])
    });
    let waits: Vec<String> = waits.collect();
    if waits.is_empty() { explained(finding.property).1.to_owned() } else { format!("{}.", waits.join("; ")) }
}

fn step(row: &Row, n: usize, thread: &str, objects: &mut Objects, written: &mut Vec<String>) -> Value {
    for lock in &row.held {
        objects.meet(lock, "lock");
    }
    let events: Vec<Value> = row.notes.iter().map(|note| event(note, thread, objects, written)).collect();
    json!({
        "n": n,
        "thread": row.thread,
        "file": row.file,
        "line": row.line,
        "text": row.text,
        "visible": row.visible,
        "held": row.held,
        "stack": row.stack,
        "events": events,
    })
}

fn event(note: &Note, thread: &str, objects: &mut Objects, written: &mut Vec<String>) -> Value {
    match note {
        Note::Read { name, value, local } | Note::Write { name, value, local } => {
            let is_read = matches!(note, Note::Read { .. });
            let object = if *local { format!("{thread}.{name}") } else { name.clone() };
            if !local {
                objects.meet(name, "variable");
                // What is read before it is written has been there from the beginning.
                if is_read && !written.contains(name) {
                    objects.initial.entry(name.clone()).or_insert_with(|| value.clone());
                }
                written.push(name.clone());
            }
            json!({ "kind": if is_read { "read" } else { "write" }, "object": object, "value": value })
        }
        Note::Lock { name, text } | Note::Unlock { name, text } => {
            let kind = if matches!(note, Note::Lock { .. }) { "lock" } else { "unlock" };
            json!({ "kind": kind, "object": name, "text": text })
        }
        Note::Start { thread, .. } => json!({ "kind": "start", "thread": thread }),
        Note::Join { thread, .. } => json!({ "kind": "join", "thread": thread }),
        Note::End { .. } => json!({ "kind": "end" }),
        Note::Input { .. } | Note::Event { .. } => json!({ "kind": "event", "text": note.text() }),
    }
}

/// The step that a blocked thread cannot take.
fn waiting(wait: &Wait, n: usize, rows: &[Row], objects: &mut Objects) -> Value {
    let last = rows.iter().rev().find(|row| row.thread == wait.thread);
    let text = rows.iter().rev().find(|row| row.file == wait.file && row.line == wait.line);
    let mut event = json!({ "kind": "wait" });
    match (&wait.object, wait.end_of) {
        (Some(object), _) => {
            if !wait.holders.is_empty() {
                objects.meet(object, "lock");
            }
            event["object"] = json!(object);
        }
        (None, Some(thread)) => event["thread"] = json!(thread),
        (None, None) => event["object"] = json!("something"),
    }
    json!({
        "n": n,
        "thread": wait.thread,
        "file": wait.file,
        "line": wait.line,
        "text": text.map(|row| row.text.as_str()).unwrap_or_default(),
        "visible": true,
        "held": last.map(|row| row.held.clone()).unwrap_or_default(),
        "stack": last.map(|row| row.stack.clone()).unwrap_or_default(),
        "events": [event],
    })
}

/// Who waits for what, since when it is held, and the first cycle.
fn deadlock(lanes: &Lanes, n_taken: usize) -> Value {
    let waits = lanes.waits.iter().enumerate().map(|(n, wait)| {
        let mut value = json!({ "thread": wait.thread, "step": n_taken + n + 1 });
        if let Some(object) = &wait.object {
            value["for"] = json!({ "lock": object });
        } else if let Some(thread) = wait.end_of {
            value["for"] = json!({ "end_of": thread });
        }
        if let (Some(object), Some(holder)) = (&wait.object, wait.holders.first()) {
            let since = since(lanes, *holder, object);
            value["holder"] = json!(holder);
            value["holder_since"] = json!(since);
        }
        value
    });
    json!({ "waits": waits.collect::<Vec<_>>(), "cycle": cycle(&lanes.waits) })
}

/// The step in which a thread took a lock that it holds until the end.
fn since(lanes: &Lanes, holder: usize, lock: &String) -> usize {
    let of_holder = |(_, row): &(usize, &Row)| row.thread == holder;
    let steps: Vec<(usize, &Row)> = lanes.rows.iter().enumerate().filter(of_holder).collect();
    let without = steps.iter().rev().take_while(|(_, row)| row.held.contains(lock)).last();
    without.map_or(1, |(n, _)| n + 1)
}

/// Threads and locks in turn, each waiting for or held by the next; empty if there is no cycle.
fn cycle(waits: &[Wait]) -> Vec<Value> {
    for first in waits {
        let mut way: Vec<&Wait> = Vec::new();
        let mut at = Some(first);
        while let Some(wait) = at
            && way.iter().all(|other| other.thread != wait.thread)
        {
            way.push(wait);
            let next = wait.holders.first().copied().or(wait.end_of);
            at = next.and_then(|thread| waits.iter().find(|other| other.thread == thread));
        }
        if at.is_some_and(|wait| wait.thread == first.thread) {
            let nodes = way.iter().flat_map(|wait| {
                let lock = wait.object.as_ref().map(|lock| json!({ "lock": lock }));
                std::iter::once(json!({ "thread": wait.thread })).chain(lock)
            });
            return nodes.collect();
        }
    }
    Vec::new()
}
