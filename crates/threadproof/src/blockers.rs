//! Why there is no verdict, all at once: every place of the program that has no model.
//!
//! An engine stops at the first such place that it reaches. A user who mends that one would only meet the next, so all of them are
//! listed, with what to do about each. First comes the one that stopped the engine, then those that occur most often: what one stub or
//! one row of a table mends at several places is the most useful thing to do.

use base::Inconclusive;
use frontend::Gap;
use serde::Serialize;

/// Something without a model that may be reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Blocker {
    /// What it is.
    pub what: String,
    /// Where, in the order of the program.
    pub places: Vec<String>,
    /// What the user can do.
    pub help: Option<String>,
}

/// All that may keep a program from a verdict, most useful first; `None` if that was not the reason.
pub fn blockers(gaps: &[Gap], stop: &Inconclusive) -> Vec<Blocker> {
    let Inconclusive::Unsupported(reason) = stop else { return Vec::new() };
    let mut found: Vec<Blocker> = Vec::new();
    for Gap { place, what } in gaps {
        match found.iter_mut().find(|blocker| blocker.what == *what) {
            Some(blocker) if blocker.places.contains(place) => {}
            Some(blocker) => blocker.places.push(place.clone()),
            None => found.push(Blocker { what: what.clone(), places: vec![place.clone()], help: help(what) }),
        }
    }
    found.sort_by_key(|blocker| (!reason.contains(&blocker.what), usize::MAX - blocker.places.len()));
    found
}

/// What to do about something without a model.
fn help(what: &str) -> Option<String> {
    let name = what.split('`').nth(1)?;
    if what.contains("is not defined") {
        return Some(format!(
            "write a stub of `{name}` in C and give its file, too; describe it in a table (`--models FILE`); or say \
             `--undefined-functions pure` if such functions write nothing"
        ));
    }
    what.starts_with("call of").then(|| {
        format!("write a stub of `{name}` in C and give its file, too, or describe it in a table (`--models FILE`)")
    })
}

/// Lines for people.
pub fn render(blockers: &[Blocker]) -> String {
    let mut text = String::new();
    for blocker in blockers {
        text += &format!("blocked: {}: {}\n", blocker.places.join(", "), blocker.what);
        if let Some(help) = &blocker.help {
            text += &format!("   help: {help}\n");
        }
    }
    text
}
