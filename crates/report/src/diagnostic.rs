//! A diagnostic is a value: what is wrong, where, how bad. [`snippet`](crate::snippet) renders it.

use base::Span;
use serde::{Deserialize, Serialize, Serializer};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Suspicious, but there is a result.
    Warning,
    /// There is no result.
    Error,
}

/// One message to the user about the input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// What is wrong: one sentence without a full stop, lower case.
    pub message: String,
    /// The presumed file's name; empty if the message concerns no file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Where in that file; [`Span::NOWHERE`] for the file as a whole.
    #[serde(flatten, serialize_with = "position")]
    pub span: Span,
    /// The text of the line, to be shown with a mark below the span's column; empty if there is none.
    #[serde(skip)]
    pub line_text: String,
    /// How many columns the mark covers.
    #[serde(skip)]
    pub mark_len: u32,
    /// What to do about it, or what else is known.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// In JSON, a message about a file as a whole has neither line nor column.
fn position<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Position {
        line: u32,
        column: u32,
    }
    let position = span.is_somewhere().then_some(Position { line: span.line, column: span.col });
    position.serialize(serializer)
}
