//! Witnesses of verification: the YAML format 2.x of SV-COMP, which other tools validate.
//!
//! P. Ayaziová, D. Beyer, M. Lingsch-Rosenfeld, M. Spiessl, J. Strejček: *Software Verification Witnesses 2.0*, SPIN 2024. Violations are sequences of
//! segments; a segment holds waypoints, one of which an execution has to pass (`follow`) before the next segment begins. Version 2.2 adds `thread_id`: the
//! thread that passes a waypoint, 0 for the main thread, the others in the order of the calls that create them; and a data race ends in a segment with two
//! targets. Proofs are sets of invariants.
//!
//! Strings are written as JSON's, which YAML includes.

pub mod sha256;

use serde_json::Value;
use std::fmt::Write;

/// A witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What it is about.
    pub task: Task,
    /// What it says.
    pub content: Content,
}

/// What a witness is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The files, and their SHA-256 hashes.
    pub files: Vec<(String, String)>,
    /// The property, as SV-COMP's formula.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// An execution violates the property.
    Violation(Vec<Vec<Waypoint>>),
    /// The property holds.
    Correctness(Vec<Invariant>),
}

/// What an execution passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What it is.
    pub kind: WaypointKind,
    /// True if it has to be passed, false if it must not be.
    pub follow: bool,
    /// What holds then.
    pub constraint: Option<String>,
    /// Where it is.
    pub location: Location,
    /// The thread that passes it.
    pub thread: Option<u64>,
}

/// Kinds of waypoints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaypointKind {
    /// Something holds before a statement.
    Assumption,
    /// A condition is true or false.
    Branching,
    /// A function is called.
    FunctionEnter,
    /// A function returns.
    FunctionReturn,
    /// The property is violated.
    Target,
}

impl WaypointKind {
    /// All kinds and their names.
    pub const ALL: [(WaypointKind, &'static str); 5] = [
        (WaypointKind::Assumption, "assumption"),
        (WaypointKind::Branching, "branching"),
        (WaypointKind::FunctionEnter, "function_enter"),
        (WaypointKind::FunctionReturn, "function_return"),
        (WaypointKind::Target, "target"),
    ];

    /// The format's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// Something that always holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// True if it holds whenever the condition of a loop is evaluated, false if it holds before a statement.
    pub of_loop: bool,
    /// Where.
    pub location: Location,
    /// What, as an expression of C.
    pub value: String,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on; without it, the first one in the line that fits.
    pub column: Option<u32>,
    /// The function.
    pub function: Option<String>,
}

/// When and by whom a witness was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Producer {
    /// The version of threadproof.
    pub version: String,
    /// Seconds since 1970.
    pub time: u64,
}

impl Witness {
    /// The version of the format that it needs.
    pub fn format_version(&self) -> &'static str {
        match &self.content {
            Content::Violation(segments) if segments.iter().flatten().any(|w| w.thread.is_some()) => "2.2",
            Content::Violation(_) | Content::Correctness(_) => "2.0",
        }
    }
}

/// The witness as a file.
pub fn render(witness: &Witness, producer: &Producer) -> String {
    let mut content = String::new();
    let entry_type = match &witness.content {
        Content::Violation(segments) => {
            segments.iter().for_each(|segment| write_segment(segment, &mut content));
            "violation_sequence"
        }
        Content::Correctness(invariants) => {
            invariants.iter().for_each(|invariant| write_invariant(invariant, &mut content));
            "invariant_set"
        }
    };
    let content =
        if content.is_empty() { "  content: []\n".to_owned() } else { format!("  content:\n{content}") };
    let metadata = metadata(witness, producer, &content);
    format!("- entry_type: {}\n{metadata}{content}", text(entry_type))
}

fn metadata(witness: &Witness, producer: &Producer, content: &str) -> String {
    let Task { files, specification, data_model } = &witness.task;
    let mut written = String::from("  metadata:\n");
    let mut line = |indent: usize, what: String| {
        let _ = writeln!(written, "{:indent$}{what}", "");
    };
    line(4, format!("format_version: {}", text(witness.format_version())));
    line(4, format!("uuid: {}", text(&uuid(files, specification, content))));
    line(4, format!("creation_time: {}", text(&date(producer.time))));
    line(4, "producer:".to_owned());
    line(6, format!("name: {}", text("threadproof")));
    line(6, format!("version: {}", text(&producer.version)));
    line(4, "task:".to_owned());
    line(6, "input_files:".to_owned());
    files.iter().for_each(|(file, _)| line(6, format!("- {}", text(file))));
    line(6, "input_file_hashes:".to_owned());
    files.iter().for_each(|(file, hash)| line(8, format!("{}: {}", text(file), text(hash))));
    line(6, format!("specification: {}", text(specification)));
    line(6, format!("data_model: {}", text(data_model)));
    line(6, format!("language: {}", text("C")));
    written
}

fn write_segment(segment: &[Waypoint], written: &mut String) {
    let mut line = |indent: usize, what: String| {
        let _ = writeln!(written, "{:indent$}{what}", "");
    };
    line(2, "- segment:".to_owned());
    for waypoint in segment {
        line(4, "- waypoint:".to_owned());
        line(8, format!("type: {}", text(waypoint.kind.name())));
        line(8, format!("action: {}", text(if waypoint.follow { "follow" } else { "avoid" })));
        if let Some(thread) = waypoint.thread {
            line(8, format!("thread_id: {thread}"));
        }
        if let Some(constraint) = &waypoint.constraint {
            line(8, "constraint:".to_owned());
            match waypoint.kind {
                // A truth value of YAML.
                WaypointKind::Branching => line(10, format!("value: {constraint}")),
                kind => {
                    line(10, format!("value: {}", text(constraint)));
                    let extended = kind == WaypointKind::FunctionReturn;
                    let format = if extended { "ext_c_expression" } else { "c_expression" };
                    line(10, format!("format: {}", text(format)));
                }
            }
        }
        location(&waypoint.location, &mut line, 8);
    }
}

fn write_invariant(invariant: &Invariant, written: &mut String) {
    let mut line = |indent: usize, what: String| {
        let _ = writeln!(written, "{:indent$}{what}", "");
    };
    let kind = if invariant.of_loop { "loop_invariant" } else { "location_invariant" };
    line(2, "- invariant:".to_owned());
    line(6, format!("type: {}", text(kind)));
    location(&invariant.location, &mut line, 6);
    line(6, format!("value: {}", text(&invariant.value)));
    line(6, format!("format: {}", text("c_expression")));
}

fn location(location: &Location, line: &mut dyn FnMut(usize, String), indent: usize) {
    line(indent, "location:".to_owned());
    line(indent + 2, format!("file_name: {}", text(&location.file)));
    line(indent + 2, format!("line: {}", location.line));
    if let Some(column) = location.column {
        line(indent + 2, format!("column: {column}"));
    }
    if let Some(function) = &location.function {
        line(indent + 2, format!("function: {}", text(function)));
    }
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

/// A UUID of version 8 (RFC 9562), from what the witness says: the same witness has the same one.
fn uuid(files: &[(String, String)], specification: &str, content: &str) -> String {
    let hashes: String = files.iter().map(|(_, hash)| hash.as_str()).collect();
    let mut bytes = sha256::digest(format!("{hashes}\n{specification}\n{content}").as_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    parts.map(|part| digits[part].to_owned()).join("-")
}

/// `2026-01-31T12:00:00Z` (days to dates as in Howard Hinnant's *chrono-compatible low-level date algorithms*).
fn date(time: u64) -> String {
    let (days, second) = (time / 86_400, time % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (time, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(date(time), expected);
        }
    }

    #[test]
    fn uuids_are_of_version_8() {
        let uuid = uuid(&[], "", "");
        assert_eq!(uuid.len(), 36);
        assert_eq!((&uuid[14..15], uuid.matches('-').count()), ("8", 4));
    }
}
