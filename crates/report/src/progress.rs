//! One line on a terminal that says what is being done, and is gone when it is done.
//!
//! Nothing appears if the standard error stream is no terminal, nor in the first second: most runs are shorter, and
//! a line that flickers is worse than none.

use crate::terminal::{TerminalStyle, shorten};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const SILENCE: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(100);

/// A line of progress; dropping it clears the line.
#[derive(Debug)]
pub struct Progress {
    wanted: bool,
    start: Instant,
    last: Option<Instant>,
}

impl Progress {
    /// Starts the silence.
    pub fn new() -> Self {
        Self { wanted: std::io::stderr().is_terminal(), start: Instant::now(), last: None }
    }

    /// True if the line is visible on a terminal.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Shows what `line` gives, unless it is too early or there is no terminal; `line` is called only if it is shown.
    pub fn show(&mut self, line: impl FnOnce() -> String) {
        if !self.wanted || self.start.elapsed() < SILENCE || self.last.is_some_and(|l| l.elapsed() < BETWEEN)
        {
            return;
        }
        let text = shorten(&line(), TerminalStyle::of_stderr().width - 1);
        self.write(&format!("\r\x1b[K{text}"));
        self.last = Some(Instant::now());
    }

    /// Removes the line until the next [`show`](Self::show), so that other output can be written.
    pub fn clear(&mut self) {
        if self.last.take().is_some() {
            self.write("\r\x1b[K");
        }
    }

    /// A terminal that is gone is no reason to stop working, so failures are ignored.
    fn write(&self, text: &str) {
        let mut err = std::io::stderr();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
