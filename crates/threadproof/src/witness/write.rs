//! From a counterexample to the waypoints of a witness.
//!
//! | in the execution | waypoint |
//! |---|---|
//! | a thread is created | `function_enter` of the call |
//! | a function gives an input | `function_return`, with the value |
//! | a thread begins a statement in which it does something visible, or goes on after another thread | `assumption` that says nothing: the thread is there |
//! | the violation | `target`; two for a data race |
//!
//! What is between two waypoints of a statement is left to the validator: the format has no places inside of statements.

use frontend::places::{Place, PlaceKind};
use report::Lanes;
use report::lanes::{Note, Row};
use report::witness::{Location, Waypoint, WaypointKind};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that create threads.
pub const CREATORS: [&str; 2] = ["pthread_create", "thrd_create"];

/// The segments of an execution; `None` if it has no place in the source.
pub fn segments(lanes: &Lanes, places: &[Place]) -> Option<Vec<Vec<Waypoint>>> {
    let texts = places.iter().map(|place| &place.file).collect::<BTreeSet<_>>();
    let texts =
        texts.into_iter().filter_map(|file| Some((file.clone(), std::fs::read_to_string(file).ok()?)));
    let writer = Writer { lanes, places, threads: lanes.threads.len() > 1, texts: texts.collect() };
    let targets = writer.targets()?;
    let n_targets = if lanes.race.is_some() { 2 } else { 0 };
    let rows = &lanes.rows[..lanes.rows.len() - n_targets];
    let mut segments: Vec<Vec<Waypoint>> =
        writer.way(rows).into_iter().map(|waypoint| vec![waypoint]).collect();
    segments.push(targets);
    Some(segments)
}

struct Writer<'w> {
    lanes: &'w Lanes,
    places: &'w [Place],
    /// Whether there is more than one thread.
    threads: bool,
    /// The files before preprocessing.
    texts: BTreeMap<String, String>,
}

impl Writer<'_> {
    fn targets(&self) -> Option<Vec<Waypoint>> {
        let rows = &self.lanes.rows;
        let last = |n: usize| rows.iter().rev().take(n).rev();
        let places: Vec<(usize, &str, u32, u32)> = if self.lanes.race.is_some() {
            last(2).map(|row| (row.thread, &*row.file, row.line, row.column)).collect()
        } else if let Some(wait) = self.lanes.waits.first() {
            vec![(wait.thread, &wait.file, wait.line, u32::MAX)]
        } else {
            let row = rows.iter().rev().find(|row| row.line > 0)?;
            vec![(row.thread, &row.file, row.line, row.column)]
        };
        let target = |(thread, file, line, column): (usize, &str, u32, u32)| {
            let place = self.statement(file, line, column, None)?;
            Some(self.waypoint(WaypointKind::Target, place, thread, None))
        };
        places.into_iter().map(target).collect()
    }

    fn way(&self, rows: &[Row]) -> Vec<Waypoint> {
        let names_threads = self.creations_are_calls(rows);
        let mut waypoints = Vec::new();
        let mut inside: Vec<Vec<Activation<'_>>> = vec![Vec::new(); self.lanes.threads.len()];
        let mut last_thread = 0;
        for (n, row) in rows.iter().enumerate().filter(|(_, row)| row.line > 0) {
            let place = self.statement_of(row);
            let is_new = begins(&mut inside[row.thread], row.stack.len(), place);
            let switches = std::mem::replace(&mut last_thread, row.thread) != row.thread;
            let shows = || switches || self.is_visible(&rows[n..], place);
            if let Some(place) = place.filter(|_| is_new && shows()) {
                let says_nothing = Some("1".to_owned());
                waypoints.push(self.waypoint(WaypointKind::Assumption, place, row.thread, says_nothing));
            }
            if names_threads
                && row.notes.iter().any(|note| matches!(note, Note::Start { .. }))
                && let Some(call) = self.call(row, |name| CREATORS.contains(&name))
            {
                waypoints.push(self.waypoint(WaypointKind::FunctionEnter, call, row.thread, None));
            }
            let input = row.notes.iter().find_map(|note| match note {
                Note::Input { value, .. } => Some(value),
                _ => None,
            });
            if let Some(value) = input
                && let Some(call) = self.call(row, |name| name.starts_with("__VERIFIER_nondet_"))
            {
                let constraint = Some(format!("\\result == {value}"));
                waypoints.push(self.waypoint(WaypointKind::FunctionReturn, call, row.thread, constraint));
            }
        }
        waypoints
    }

    /// Returns true if threads can be named by the calls that create them.
    fn creations_are_calls(&self, rows: &[Row]) -> bool {
        let starts = |row: &&Row| row.notes.iter().any(|note| matches!(note, Note::Start { .. }));
        rows.iter().filter(starts).all(|row| self.call(row, |name| CREATORS.contains(&name)).is_some())
    }

    /// Returns true if the thread of the first row does something visible in the statement that it is in.
    fn is_visible(&self, rows: &[Row], place: Option<&Place>) -> bool {
        let thread = rows[0].thread;
        let mut of_thread = rows.iter().filter(|row| row.thread == thread && row.line > 0);
        of_thread.by_ref().take_while(|row| self.statement_of(row) == place).any(|row| row.visible)
    }

    fn statement_of(&self, row: &Row) -> Option<&Place> {
        self.statement(&row.file, row.line, row.column, Some(&row.function))
    }

    /// The innermost statement or declaration around a position: the last one that begins before it.
    fn statement(&self, file: &str, line: u32, column: u32, function: Option<&str>) -> Option<&Place> {
        let before = |place: &&Place| {
            let is_one = matches!(place.kind, PlaceKind::Statement { .. } | PlaceKind::Declaration);
            let is_in = function.is_none_or(|function| place.function == function);
            is_one && is_in && place.file == file && (place.line, place.column) <= (line, column)
        };
        self.places.iter().filter(before).max_by_key(|place| (place.line, place.column))
    }

    /// The call in the line of a row, if it is the only one of its kind there.
    fn call(&self, row: &Row, is_one: impl Fn(&str) -> bool) -> Option<&Place> {
        let mut calls = self.places.iter().filter(|place| {
            let fits = matches!(&place.kind, PlaceKind::Call { name, .. } if is_one(name));
            fits && place.file == row.file && place.line == row.line
        });
        let found = calls.next();
        found.filter(|_| calls.next().is_none())
    }

    /// Returns true if preprocessing has not moved a place within its line.
    fn has_column(&self, place: &Place) -> bool {
        let line = (place.line as usize).checked_sub(1);
        let text = self.texts.get(&place.file).zip(line).and_then(|(text, line)| text.lines().nth(line));
        text.is_some_and(|text| text.starts_with(&place.before))
    }

    fn waypoint(
        &self,
        kind: WaypointKind,
        place: &Place,
        thread: usize,
        constraint: Option<String>,
    ) -> Waypoint {
        let location = Location {
            file: place.file.clone(),
            line: place.line,
            column: Some(place.column).filter(|_| self.has_column(place)),
            function: Some(place.function.clone()),
        };
        let thread = self.threads.then_some(thread as u64);
        Waypoint { kind, follow: true, constraint, location, thread }
    }
}

/// What is known of a call that has not returned.
#[derive(Clone, Default)]
struct Activation<'w> {
    /// The statement that it is in.
    now: Option<&'w Place>,
    /// Statements with parts, such as loops, that it has been in: a row of one of them may be about its condition, in a later iteration.
    before: Vec<&'w Place>,
}

/// Notes that a thread, with calls of some depth, is in a statement; true if the statement certainly begins now.
fn begins<'w>(calls: &mut Vec<Activation<'w>>, depth: usize, place: Option<&'w Place>) -> bool {
    calls.resize_with(depth + 1, Activation::default);
    let call = &mut calls[depth];
    let is_new = std::mem::replace(&mut call.now, place) != place;
    let Some(place) = place.filter(|place| place.kind == PlaceKind::Statement { simple: false }) else {
        return is_new;
    };
    let is_known = call.before.contains(&place);
    if !is_known {
        call.before.push(place);
    }
    is_new && !is_known
}
