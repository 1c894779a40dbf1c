//! An execution of several threads, shown so that a reader sees who did what, and when.
//!
//! ```text
//!      main                       │ increment#1
//!      ───────────────────────────┼───────────────────────────
//!  1   12 pthread_create(&t, …);  │
//!         · starts increment#1    │
//!      ╰────────────────────────────→
//!  2                              │ 5 int tmp = counter;
//!                                 │   · reads counter = 0
//! ```
//!
//! The way of the data: [`Lanes`] holds *every* step; `fold` merges the steps of one source line and hides long
//! stretches of invisible steps; `columns` sets the rest in a column per thread, or `list` sets
//! it one below the other where columns would be too narrow to read or there is but one thread. Steps keep the numbers
//! they have in the whole execution, so that a folded step leaves a gap.

mod columns;
mod fold;
mod list;

use crate::terminal::{self, Emphasis, TerminalStyle, wrap};
use fold::Item;
use serde::{Deserialize, Serialize, Serializer};

/// An execution and its ending.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Lanes {
    /// The names of the threads; a row names its thread by position.
    pub threads: Vec<String>,
    /// All steps, in the order in which they happened.
    #[serde(rename = "steps", serialize_with = "numbered")]
    pub rows: Vec<Row>,
    /// How it ends: the first line says what happened, further ones explain.
    pub ending: Vec<String>,
    /// If it ends in a data race: the memory and the two accesses, which are the last two steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub race: Option<Race>,
    /// If threads are blocked in the end: what each of them waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub waits: Vec<Wait>,
}

/// Two accesses that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Race {
    /// The memory that both access.
    pub object: String,
    /// Whether the first one and the second one write.
    pub writes: [bool; 2],
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// The thread.
    pub thread: usize,
    /// Where it waits.
    pub file: String,
    /// The line; 0 if there is none.
    pub line: u32,
    /// The lock, semaphore, barrier or condition variable.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
    /// The thread whose end it waits for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_of: Option<usize>,
    /// The threads that hold the lock.
    pub holders: Vec<usize>,
}

/// A call that has not returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Where it is: the file
    pub file: String,
    /// and the line; 0 if there is none.
    pub line: u32,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The thread that moved.
    pub thread: usize,
    /// The source file; empty if there is none.
    pub file: String,
    /// The line in that file; 0 if there is none. Such a step is shown with the step before it.
    pub line: u32,
    /// The column; 0 if there is none.
    pub column: u32,
    /// The text of that line, or of what was done if the line cannot be read.
    pub text: String,
    /// The function that the step belongs to.
    pub function: String,
    /// True if the step is visible to other threads: it touches shared memory, synchronises, starts a thread.
    pub visible: bool,
    /// What was read, written, given.
    pub notes: Vec<Note>,
    /// The locks that the thread holds after the step.
    pub held: Vec<String>,
    /// The calls that the thread is in, innermost first, those of the C library's models aside.
    pub stack: Vec<Call>,
}

/// A remark on a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Note {
    /// A variable was read.
    Read {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// True if it is a variable of the thread's own frames.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        local: bool,
    },
    /// A variable was written.
    Write {
        /// The variable.
        name: String,
        /// Its new value.
        value: String,
        /// True if it is a variable of the thread's own frames.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        local: bool,
    },
    /// The program's environment chose a value.
    Input {
        /// The variable; empty if it has no name.
        name: String,
        /// The value.
        value: String,
    },
    /// A lock was taken, or was tried to be taken.
    Lock {
        /// The lock.
        name: String,
        /// The same in words.
        text: String,
    },
    /// A lock was given back.
    Unlock {
        /// The lock.
        name: String,
        /// The same in words.
        text: String,
    },
    /// A thread was started.
    Start {
        /// Its number.
        thread: usize,
        /// The same in words.
        text: String,
    },
    /// A thread's end was waited for.
    Join {
        /// Its number.
        thread: usize,
        /// The same in words.
        text: String,
    },
    /// The thread ends.
    End {
        /// The same in words.
        text: String,
    },
    /// Anything else, in words.
    Event {
        /// The words.
        text: String,
    },
}

impl Note {
    /// A variable was read that other threads may know.
    pub fn read(name: impl Into<String>, value: impl Into<String>) -> Self {
        Note::Read { name: name.into(), value: value.into(), local: false }
    }
    /// A variable was written that other threads may know.
    pub fn write(name: impl Into<String>, value: impl Into<String>) -> Self {
        Note::Write { name: name.into(), value: value.into(), local: false }
    }
    /// The environment chose a value.
    pub fn input(name: impl Into<String>, value: impl Into<String>) -> Self {
        Note::Input { name: name.into(), value: value.into() }
    }
    /// Something happened.
    pub fn event(text: impl Into<String>) -> Self {
        Note::Event { text: text.into() }
    }
    /// The remark in words.
    pub fn text(&self) -> String {
        match self {
            Note::Read { name, value, .. } => format!("reads {name} = {value}"),
            Note::Write { name, value, .. } => format!("{name} = {value}"),
            Note::Input { name, value } if name.is_empty() => format!("input {value}"),
            Note::Input { name, value } => format!("input {name} = {value}"),
            Note::Lock { text, .. }
            | Note::Unlock { text, .. }
            | Note::Start { text, .. }
            | Note::Join { text, .. }
            | Note::End { text }
            | Note::Event { text } => text.clone(),
        }
    }
}

/// In JSON, steps have numbers.
fn numbered<S: Serializer>(rows: &[Row], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Step<'a> {
        step: usize,
        #[serde(flatten)]
        row: &'a Row,
    }
    serializer.collect_seq(rows.iter().enumerate().map(|(n, row)| Step { step: n + 1, row }))
}

/// Shows an execution; the text ends with a line break.
pub fn render(lanes: &Lanes, terminal: TerminalStyle) -> String {
    let items = fold::fold(&lanes.rows);
    let places = Places::of(&items);
    let mut out = String::new();
    if let Some(file) = &places.only_file {
        out.push_str(&terminal.paint(Emphasis::Faint, file));
        out.push_str("\n\n");
    }
    match columns::Layout::new(lanes, &items, &places, terminal) {
        Some(layout) => layout.render(&items, &mut out),
        None => list::render(lanes, &items, &places, terminal, &mut out),
    }
    ending(&lanes.ending, terminal, &mut out);
    out
}

fn ending(lines: &[String], terminal: TerminalStyle, out: &mut String) {
    let Some((first, further)) = lines.split_first() else { return };
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!("{}\n", terminal.paint(Emphasis::Bad, first)));
    for line in further {
        out.push_str(&format!("  {line}\n"));
    }
}

/// How places in the source are written: only the line if all steps are in one file.
struct Places {
    only_file: Option<String>,
    /// The width of the longest place.
    width: usize,
}

impl Places {
    fn of(items: &[Item]) -> Self {
        let rows = || items.iter().filter_map(Item::row).filter(|r| r.line != 0);
        let mut files = rows().map(|r| r.file.as_str());
        let first = files.next();
        let only_file = first.filter(|f| files.all(|g| g == *f)).map(str::to_owned);
        let mut places = Places { only_file, width: 0 };
        places.width = rows().map(|r| terminal::columns(&places.name(&r.file, r.line))).max().unwrap_or(0);
        places
    }

    fn name(&self, file: &str, line: u32) -> String {
        if line == 0 {
            return String::new();
        }
        if self.only_file.is_some() {
            return line.to_string();
        }
        let base = file.rsplit('/').next().unwrap_or(file);
        format!("{base}:{line}")
    }
}

/// What sets remarks apart from the source where there are no colours.
const BULLET: &str = "· ";

/// The remarks of a step, as many on a line as fit.
fn note_lines(notes: &[Note], width: usize) -> Vec<String> {
    let width = width.saturating_sub(terminal::columns(BULLET)).max(1);
    let mut lines: Vec<String> = Vec::new();
    for note in notes {
        let text = note.text();
        match lines.last_mut() {
            Some(last) if terminal::columns(last) + 2 + terminal::columns(&text) <= width => {
                last.push_str(", ");
                last.push_str(&text);
            }
            _ => lines.push(text),
        }
    }
    let bulleted = |line: &String| {
        let wrapped = wrap(line, width).into_iter().enumerate();
        wrapped.map(|(n, part)| format!("{}{part}", if n == 0 { BULLET } else { "  " })).collect::<Vec<_>>()
    };
    lines.iter().flat_map(bulleted).collect()
}
