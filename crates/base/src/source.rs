//! Positions in the user's source: the *presumed* file and line, as line markers (`# 12 "prog.c"`) give them.

use crate::id_type;

id_type!(
    /// A source file by the name its line marker or command line gave.
    FileId,
    "file"
);

/// A point in a source file; lines and columns count from 1, and line 0 means "nowhere".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The presumed file.
    pub file: FileId,
    /// The presumed line.
    pub line: u32,
    /// The column in the text that was read.
    pub col: u32,
}

impl Span {
    /// For what no source text stands for.
    pub const NOWHERE: Span = Span { file: FileId(0), line: 0, col: 0 };

    /// Returns true if this names a place in a source file.
    pub fn is_somewhere(self) -> bool {
        self.line != 0
    }
}
