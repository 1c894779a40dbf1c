//! How wide the output is and whether it may have colours.
//!
//! Colours appear only on a terminal and only while the variable `NO_COLOR` is unset or empty (see no-color.org).
//! The width is what `COLUMNS` says, else what the terminal says, else [`DEFAULT_WIDTH`].

use std::io::IsTerminal;
use unicode_width::UnicodeWidthChar;

/// The width of output that goes to no terminal.
pub const DEFAULT_WIDTH: usize = 100;
/// No layout is narrower than this.
const LEAST_WIDTH: usize = 40;

/// How a text is to be rendered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TerminalStyle {
    /// Columns to fill.
    pub width: usize,
    /// True if escape sequences for colours may be used.
    pub colour: bool,
}

impl TerminalStyle {
    /// Without colours, for files and tests.
    pub fn plain(width: usize) -> Self {
        Self { width, colour: false }
    }
    /// What suits the standard output.
    pub fn of_stdout() -> Self {
        let out = std::io::stdout();
        Self { width: width_of(&out), colour: colour_of(out.is_terminal()) }
    }
    /// What suits the standard error stream.
    pub fn of_stderr() -> Self {
        let err = std::io::stderr();
        Self { width: width_of(&err), colour: colour_of(err.is_terminal()) }
    }
    /// `text` in a colour or weight, if there are any.
    pub fn paint(self, style: Emphasis, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_owned()
        }
    }
}

/// The few styles there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emphasis {
    /// Headings.
    Bold,
    /// What can be skipped while reading.
    Faint,
    /// Values.
    Value,
    /// Changes of thread.
    Switch,
    /// What went wrong.
    Bad,
}

impl Emphasis {
    fn code(self) -> &'static str {
        match self {
            Emphasis::Bold => "1",
            Emphasis::Faint => "2",
            Emphasis::Value => "36",
            Emphasis::Switch => "33",
            Emphasis::Bad => "1;31",
        }
    }
}

fn colour_of(is_terminal: bool) -> bool {
    let forbidden = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    is_terminal && !forbidden && !dumb
}

fn width_of(stream: &impl std::os::fd::AsFd) -> usize {
    let wished = std::env::var("COLUMNS").ok().and_then(|c| c.trim().parse().ok());
    let seen = || rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    let width = wished.or_else(seen).filter(|w| *w > 0).unwrap_or(DEFAULT_WIDTH);
    width.max(LEAST_WIDTH)
}

/// How many columns `text` takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The longest beginning of `text` that takes at most `width` columns, in bytes.
pub(crate) fn prefix_len(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            return at;
        }
    }
    text.len()
}

/// `text`, or its beginning and `…` if it takes more than `width` columns.
pub fn shorten(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    format!("{}…", &text[..prefix_len(text, width.saturating_sub(1))])
}

/// `text` with spaces up to `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// `text` in lines of at most `width` columns, broken at spaces where that is possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while columns(rest) > width {
        // A single character may be wider than the line; it is taken all the same, so that this ends.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let fits = prefix_len(rest, width).max(first);
        let followed_by_space = rest[fits..].starts_with(' ');
        let space = if followed_by_space { Some(fits) } else { rest[..fits].rfind(' ') };
        let cut = space.filter(|at| *at > fits / 5).unwrap_or(fits);
        lines.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    if !rest.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_their_width() {
        assert_eq!(shorten("int counter = 0;", 8), "int cou…");
        assert_eq!(shorten("short", 8), "short");
        assert_eq!(columns("日本"), 4);
        assert_eq!(shorten("日本語", 5), "日本…");
        assert_eq!(pad("ab", 4), "ab  ");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
        assert!(wrap("   ", 4).is_empty());
    }

    #[test]
    fn paint_needs_colour() {
        assert_eq!(TerminalStyle::plain(80).paint(Emphasis::Bad, "x"), "x");
        assert_eq!(TerminalStyle { width: 80, colour: true }.paint(Emphasis::Bad, "x"), "\x1b[1;31mx\x1b[0m");
    }
}
