//! A diagnostic as text, in the form `rustc` made popular.
//!
//! ```text
//! error: unknown type name `pthred_t`
//!  --> prog.c:7:3
//!   |
//! 7 |   pthred_t t;
//!   |   ^^^^^^^^
//!   |
//!   = help: …
//! ```

use crate::terminal::TerminalStyle;
use crate::{Diagnostic, Level};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};
use std::ops::Range;

/// Shows a diagnostic; the text ends with a line break.
pub fn render(diagnostic: &Diagnostic, terminal: TerminalStyle) -> String {
    let title = match diagnostic.level {
        Level::Note => Title::NOTE,
        Level::Warning => Title::WARNING,
        Level::Error => Title::ERROR,
    };
    let heading = title.primary_title(diagnostic.message.as_str());
    let mut group = match place(diagnostic) {
        Extent::Nowhere => Group::with_title(heading),
        Extent::File => heading.element(Origin::path(diagnostic.file.as_str())),
        Extent::Line => {
            let line = diagnostic.span.line as usize;
            let col = diagnostic.span.col.max(1) as usize;
            heading.element(Origin::path(diagnostic.file.as_str()).line(line).char_column(col))
        }
        Extent::Text(mark) => {
            let annotation = AnnotationKind::Primary.span(mark);
            let snippet = Snippet::source(diagnostic.line_text.as_str())
                .line_start(diagnostic.span.line as usize)
                .path(diagnostic.file.as_str())
                .annotation(annotation);
            heading.element(snippet)
        }
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Title::HELP.message(help.as_str()));
    }
    let renderer = if terminal.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(terminal.width).decor_style(DecorStyle::Ascii);
    format!("{}\n", renderer.render(&[group]))
}

/// How exactly a diagnostic says where it is.
enum Extent {
    Nowhere,
    File,
    Line,
    /// The bytes of the line's text to mark.
    Text(Range<usize>),
}

fn place(diagnostic: &Diagnostic) -> Extent {
    if diagnostic.file.is_empty() {
        Extent::Nowhere
    } else if !diagnostic.span.is_somewhere() {
        Extent::File
    } else if diagnostic.line_text.is_empty() {
        Extent::Line
    } else {
        Extent::Text(mark(diagnostic))
    }
}

/// The marked bytes, moved to character boundaries inside the line: the line shown may not be the line that was
/// read, so that nothing about the column can be relied upon.
fn mark(diagnostic: &Diagnostic) -> Range<usize> {
    let text = &diagnostic.line_text;
    let col = (diagnostic.span.col as usize).saturating_sub(1).min(text.len());
    let start = text.floor_char_boundary(col);
    let end = start.saturating_add((diagnostic.mark_len as usize).max(1)).min(text.len());
    start..text.ceil_char_boundary(end)
}
