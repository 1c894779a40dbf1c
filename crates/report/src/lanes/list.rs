//! Steps one below the other, with a heading where another thread moves: for many threads, for one,
//! and for narrow terminals.

use super::fold::Item;
use super::{Lanes, Places, Row, note_lines};
use crate::terminal::{Emphasis, TerminalStyle, columns, pad, shorten};

/// File names longer than this are cut.
const WIDEST_PLACE: usize = 24;

pub(super) fn render(
    lanes: &Lanes,
    items: &[Item],
    places: &Places,
    terminal: TerminalStyle,
    out: &mut String,
) {
    let number_width = lanes.rows.len().to_string().len();
    let mut before = None;
    for item in items {
        if before != Some(item.thread()) {
            heading(&lanes.threads[item.thread()], terminal, out);
            before = Some(item.thread());
        }
        match item {
            Item::Row(number, row) => {
                let number = format!("{number:>number_width$}  ");
                step(&number, row, places, terminal, out);
            }
            Item::Hidden { n_steps, .. } => {
                let text = format!("{}… {n_steps} steps", " ".repeat(number_width + 2));
                out.push_str(&terminal.paint(Emphasis::Faint, &text));
                out.push('\n');
            }
        }
    }
}

fn heading(name: &str, terminal: TerminalStyle, out: &mut String) {
    let name = shorten(name, terminal.width.saturating_sub(8));
    let rule = "─".repeat(terminal.width.saturating_sub(columns(&name) + 4).min(56));
    out.push_str(&terminal.paint(Emphasis::Switch, &format!("── {name} {rule}")));
    out.push('\n');
}

fn step(number: &str, row: &Row, places: &Places, terminal: TerminalStyle, out: &mut String) {
    let place_width = places.width.min(WIDEST_PLACE);
    let indent = columns(number) + place_width + 2;
    let room = terminal.width.saturating_sub(indent).max(10);
    let place = pad(&shorten(&places.name(&row.file, row.line), place_width), place_width);
    let gutter = terminal.paint(Emphasis::Faint, &format!("{number}{place}"));
    let line = format!("{gutter}  {}", shorten(row.text.trim(), room));
    out.push_str(line.trim_end());
    out.push('\n');
    for note in note_lines(&row.notes, room) {
        out.push_str(&format!("{}{}\n", " ".repeat(indent), terminal.paint(Emphasis::Value, &note)));
    }
}
