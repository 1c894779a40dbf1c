//! A diagnostic is a value: what is wrong, where, how bad. Rendering it is somebody else's business.

use base::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Suspicious, but there is a result.
    Warning,
    /// There is no result.
    Error,
}

/// One message to the user about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// What is wrong: one sentence without a full stop, lower case.
    pub message: String,
    /// The presumed file's name; empty if the message concerns no file.
    pub file: String,
    /// Where in that file; [`Span::NOWHERE`] for the file as a whole.
    pub span: Span,
    /// The text of the line, to be shown with a mark below the span's column; empty if there is none.
    pub line_text: String,
    /// How many columns the mark covers.
    pub mark_len: u32,
    /// What to do about it, or what else is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A message about a file as a whole.
    pub fn about_file(level: Level, file: &str, message: impl Into<String>) -> Self {
        Self {
            level,
            message: message.into(),
            file: file.to_owned(),
            span: Span::NOWHERE,
            line_text: String::new(),
            mark_len: 0,
            help: None,
        }
    }
}
