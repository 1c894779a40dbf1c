//! What of an execution is worth showing.
//!
//! 1. Consecutive steps of one thread on one source line become one row; its remarks are those of all its steps.
//!    A step without a source line belongs to the row before it.
//! 2. Consecutive rows of one thread that are invisible to other threads, that take no input, and that are at least
//!    [`LONG_STRETCH`], become one `… n steps`. The last [`LAST_ROWS`] of the execution always stay: what happened
//!    just before the end is what the reader wants to see.

use super::{Note, Row};

/// Maximum number of invisible rows that are still shown.
const LONG_STRETCH: usize = 4;
/// Number of rows before the end that are never hidden.
const LAST_ROWS: usize = 12;
/// Number of remarks of a row that are shown at its beginning, and at its end; a loop on one line has thousands.
const SHOWN_NOTES: (usize, usize) = (5, 3);

/// Something to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// A row, and the number of its first step.
    Row(usize, Row),
    /// Number of steps of a thread that are hidden.
    Hidden { thread: usize, n_steps: usize },
}

impl Item {
    pub(super) fn thread(&self) -> usize {
        match self {
            Item::Row(_, row) => row.thread,
            Item::Hidden { thread, .. } => *thread,
        }
    }
    pub(super) fn row(&self) -> Option<&Row> {
        match self {
            Item::Row(_, row) => Some(row),
            Item::Hidden { .. } => None,
        }
    }
}

/// A row made of consecutive steps.
struct Merged {
    first: usize,
    n_steps: usize,
    row: Row,
}

impl Merged {
    fn is_dull(&self) -> bool {
        !self.row.visible && !self.row.notes.iter().any(|n| matches!(n, Note::Input { .. }))
    }
}

pub(super) fn fold(rows: &[Row]) -> Vec<Item> {
    let mut merged = merge_lines(rows);
    let last = merged.split_off(merged.len().saturating_sub(LAST_ROWS));
    let mut items = hide_stretches(merged);
    items.extend(last.into_iter().map(shown));
    items
}

fn merge_lines(rows: &[Row]) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        match merged.last_mut() {
            Some(last) if belongs_to(row, &last.row) => {
                last.n_steps += 1;
                last.row.visible |= row.visible;
                last.row.notes.extend(row.notes.iter().cloned());
            }
            _ => merged.push(Merged { first: n + 1, n_steps: 1, row: row.clone() }),
        }
    }
    for m in &mut merged {
        m.row.notes.dedup();
        shorten_notes(&mut m.row.notes);
    }
    merged
}

fn belongs_to(row: &Row, before: &Row) -> bool {
    let same_line = row.line == before.line && row.file == before.file;
    row.thread == before.thread && (row.line == 0 || same_line)
}

fn shorten_notes(notes: &mut Vec<Note>) {
    let (head, tail) = SHOWN_NOTES;
    if notes.len() > head + tail + 1 {
        let n_left_out = notes.len() - head - tail;
        notes.splice(head..head + n_left_out, [Note::event(format!("… {n_left_out} more …"))]);
    }
}

fn hide_stretches(merged: Vec<Merged>) -> Vec<Item> {
    let mut items = Vec::new();
    for stretch in merged.chunk_by(|a, b| a.row.thread == b.row.thread && a.is_dull() && b.is_dull()) {
        if stretch.len() >= LONG_STRETCH {
            let n_steps = stretch.iter().map(|m| m.n_steps).sum();
            items.push(Item::Hidden { thread: stretch[0].row.thread, n_steps });
        } else {
            items.extend(stretch.iter().map(|m| Item::Row(m.first, m.row.clone())));
        }
    }
    items
}

fn shown(merged: Merged) -> Item {
    Item::Row(merged.first, merged.row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(thread: usize, line: u32, visible: bool) -> Row {
        Row { thread, file: "a.c".into(), line, visible, ..Row::default() }
    }

    fn check(rows: &[Row], expected: &str) {
        let shown: Vec<String> = fold(rows)
            .iter()
            .map(|item| match item {
                Item::Row(n, row) => format!("{n}:{}@{}", row.thread, row.line),
                Item::Hidden { thread, n_steps } => format!("{thread}…{n_steps}"),
            })
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn steps_of_a_line_are_one_row() {
        check(&[row(0, 1, true), row(0, 1, true), row(0, 2, true)], "1:0@1 3:0@2");
        check(&[row(0, 1, true), row(1, 1, true), row(0, 1, true)], "1:0@1 2:1@1 3:0@1");
        check(&[row(0, 1, true), row(0, 0, false), row(1, 0, true)], "1:0@1 3:1@0");
    }

    #[test]
    fn long_private_stretches_are_hidden() {
        let private: Vec<Row> = (1..=6).map(|line| row(0, line, false)).collect();
        let end: Vec<Row> = (0..LAST_ROWS).map(|n| row(1, 90 + n as u32, false)).collect();
        let check_start = |rows: &[Row], expected: &str| {
            let shown: Vec<String> =
                (0..LAST_ROWS).map(|n| format!("{}:1@{}", rows.len() + n + 1, 90 + n)).collect();
            check(&[rows, &end].concat(), format!("{expected} {}", shown.join(" ")).trim());
        };
        check_start(&private, "0…6");
        check_start(&private[..3], "1:0@1 2:0@2 3:0@3");
        check_start(&[], "");
        let mut with_input = private.clone();
        with_input[2].notes.push(Note::input("n", "1"));
        check_start(&with_input, "1:0@1 2:0@2 3:0@3 4:0@4 5:0@5 6:0@6");
    }

    #[test]
    fn a_loop_on_one_line_stays_short() {
        let mut spin = row(0, 1, true);
        spin.notes = (0..100).map(|n| Note::read("x", n.to_string())).collect();
        let items = fold(&[spin]);
        let notes = &items[0].row().unwrap().notes;
        assert_eq!(notes.len(), 9);
        assert_eq!(notes[5].text(), "… 92 more …");
        assert_eq!(notes[8].text(), "reads x = 99");
    }
}
