//! A column per thread, and an arrow at each context switch.

use super::fold::Item;
use super::{Lanes, Places, Row, note_lines};
use crate::terminal::{Emphasis, TerminalStyle, columns, pad, shorten, wrap};

/// More columns than this are not read as columns.
const MOST_LANES: usize = 4;
/// Narrower than this, source lines are torn to pieces.
const LEAST_LANE: usize = 22;
/// Wider than this, the eye loses the way from one column to the next.
const WIDEST_LANE: usize = 60;
/// Maximum number of lines of a column for one source line.
const MOST_LINES: usize = 2;
const BORDER: &str = " │ ";

/// Where the columns are.
pub(super) struct Layout<'a> {
    names: Vec<&'a str>,
    /// The column of each thread; threads that never move have none.
    lane_of: Vec<Option<usize>>,
    gutter: usize,
    lane: usize,
    places: &'a Places,
    terminal: TerminalStyle,
}

/// A line of a cell: its text and how it looks.
type Line = (Option<Emphasis>, String);

impl<'a> Layout<'a> {
    /// `None` if columns would not be readable.
    pub(super) fn new(
        lanes: &'a Lanes,
        items: &[Item],
        places: &'a Places,
        terminal: TerminalStyle,
    ) -> Option<Self> {
        let moves = |thread: usize| items.iter().any(|item| item.thread() == thread);
        let mut names = Vec::new();
        let mut lane_of = vec![None; lanes.threads.len()];
        for (thread, name) in lanes.threads.iter().enumerate().filter(|(n, _)| moves(*n)) {
            lane_of[thread] = Some(names.len());
            names.push(name.as_str());
        }
        if !(2..=MOST_LANES).contains(&names.len()) {
            return None;
        }
        let gutter = lanes.rows.len().to_string().len() + 2;
        let borders = columns(BORDER) * (names.len() - 1);
        let lane = terminal.width.checked_sub(gutter + borders)? / names.len();
        let readable = lane >= LEAST_LANE;
        readable.then_some(Self { names, lane_of, gutter, lane: lane.min(WIDEST_LANE), places, terminal })
    }

    pub(super) fn render(&self, items: &[Item], out: &mut String) {
        self.heading(out);
        let mut before = None;
        for item in items {
            let Some(lane) = self.lane_of[item.thread()] else { continue };
            if let Some(from) = before.filter(|b| *b != lane) {
                self.arrow(from, lane, out);
            }
            let (number, cell) = match item {
                Item::Row(n, row) => (n.to_string(), self.cell(row)),
                Item::Hidden { n_steps, .. } => {
                    (String::new(), vec![(Some(Emphasis::Faint), format!("… {n_steps} steps"))])
                }
            };
            self.row(&number, lane, &cell, out);
            before = Some(lane);
        }
    }

    fn heading(&self, out: &mut String) {
        let gutter = " ".repeat(self.gutter);
        let names: Vec<String> = self.names.iter().map(|n| pad(&shorten(n, self.lane), self.lane)).collect();
        let bold: Vec<String> = names.iter().map(|n| self.terminal.paint(Emphasis::Bold, n)).collect();
        push_line(out, &format!("{gutter}{}", bold.join(BORDER)));
        let rules = vec!["─".repeat(self.lane); self.names.len()];
        push_line(out, &format!("{gutter}{}", rules.join("─┼─")));
    }

    /// What the column of the moving thread says about a row.
    fn cell(&self, row: &Row) -> Vec<Line> {
        let place = self.places.name(&row.file, row.line);
        // A long file name leaves no room beside it.
        let beside = self.places.only_file.is_some();
        let indent = if beside { self.places.width + 1 } else { 2 };
        let room = self.lane.saturating_sub(indent).max(1);
        let mut lines = Vec::new();
        let mut source = wrap(&row.text, room);
        if source.len() > MOST_LINES {
            let rest = source.split_off(MOST_LINES - 1).join(" ");
            source.push(shorten(&rest, room));
        }
        if beside {
            let first = if source.is_empty() { String::new() } else { source.remove(0) };
            let width = self.places.width;
            lines.push((None, format!("{place:>width$} {first}")));
        } else if !place.is_empty() {
            lines.push((Some(Emphasis::Faint), shorten(&place, self.lane)));
        }
        let indented = |text: String| format!("{}{text}", " ".repeat(indent));
        lines.extend(source.into_iter().map(|text| (None, indented(text))));
        let notes = note_lines(&row.notes, room).into_iter();
        lines.extend(notes.map(|text| (Some(Emphasis::Value), indented(text))));
        lines
    }

    fn row(&self, number: &str, lane: usize, cell: &[Line], out: &mut String) {
        let border = self.terminal.paint(Emphasis::Faint, BORDER);
        for (n, (style, text)) in cell.iter().enumerate() {
            let number = if n == 0 { number } else { "" };
            let gutter = format!("{number:>width$}  ", width = self.gutter - 2);
            let mut line = self.terminal.paint(Emphasis::Faint, &gutter);
            for at in 0..self.names.len() {
                if at > 0 {
                    line.push_str(&border);
                }
                let padded = if at == lane { pad(text, self.lane) } else { " ".repeat(self.lane) };
                match style.filter(|_| at == lane) {
                    Some(style) => line.push_str(&self.terminal.paint(style, &padded)),
                    None => line.push_str(&padded),
                }
            }
            push_line(out, &line);
        }
    }

    /// A line from one column to another: a context switch.
    fn arrow(&self, from: usize, to: usize, out: &mut String) {
        let width = self.gutter + self.names.len() * self.lane + (self.names.len() - 1) * columns(BORDER);
        let mut line = vec![' '; width];
        for lane in 1..self.names.len() {
            line[self.start(lane) - 2] = '│';
        }
        let (left, right) = (self.start(from.min(to)), self.start(from.max(to)));
        line[left..right].fill('─');
        if from < to {
            line[left] = '╰';
            line[right] = '→';
        } else {
            line[left] = '←';
            line[right] = '╯';
        }
        let text: String = line.into_iter().collect();
        push_line(out, &self.terminal.paint(Emphasis::Switch, text.trim_end()));
    }

    /// The first column of a lane.
    fn start(&self, lane: usize) -> usize {
        self.gutter + lane * (self.lane + columns(BORDER))
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}
