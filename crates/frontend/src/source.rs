//! The texts that are read, and where in the user's files each byte of them comes from.
//!
//! A [`Unit`] is one translation unit after preprocessing. Line markers (`# 12 "prog.c"`) make the *presumed*
//! position of a byte: that is what users see. The lexer fills [`LineMap`] while it reads.

use base::{FileId, IdxVec, Span};
use report::{Diagnostic, Level};
use rustc_hash::FxHashMap;

/// The names of all presumed files, shared by all units.
#[derive(Default, Debug)]
pub struct Files {
    names: IdxVec<FileId, String>,
    ids: FxHashMap<String, FileId>,
}

impl Files {
    /// The id of the file called `name`.
    pub fn intern(&mut self, name: &str) -> FileId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
    /// The name of a file.
    pub fn name(&self, id: FileId) -> &str {
        &self.names[id]
    }
    /// All names.
    pub fn into_names(self) -> IdxVec<FileId, String> {
        self.names
    }
}

/// For each physical line of a text: where it starts, and its presumed file and line.
#[derive(Default, Debug)]
pub struct LineMap {
    lines: Vec<(u32, FileId, u32)>,
}

impl LineMap {
    /// Records that a physical line starts at `offset`; offsets come in ascending order.
    pub fn push(&mut self, offset: u32, file: FileId, line: u32) {
        self.lines.push((offset, file, line));
    }
    fn locate(&self, offset: u32) -> (u32, Span) {
        let after = self.lines.partition_point(|&(start, _, _)| start <= offset);
        match after.checked_sub(1).map(|n| self.lines[n]) {
            Some((start, file, line)) => (start, Span { file, line, col: offset - start + 1 }),
            None => (0, Span::NOWHERE),
        }
    }
}

/// A preprocessed translation unit.
#[derive(Debug)]
pub struct Unit<'a> {
    /// Its text.
    pub text: &'a str,
    /// Presumed positions.
    pub lines: LineMap,
    /// True if it is part of threadproof's own C library models.
    pub library: bool,
}

impl Unit<'_> {
    /// The presumed position of a byte.
    pub fn span(&self, at: u32) -> Span {
        self.lines.locate(at).1
    }

    /// A diagnostic about `len` bytes from `at` on.
    pub fn diagnostic(
        &self,
        files: &Files,
        level: Level,
        at: u32,
        len: u32,
        message: impl Into<String>,
    ) -> Diagnostic {
        let (start, span) = self.lines.locate(at);
        let rest = &self.text[start as usize..];
        let line = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        Diagnostic {
            level,
            message: message.into(),
            file: if span.is_somewhere() { files.name(span.file).to_owned() } else { String::new() },
            span,
            line_text: line.to_owned(),
            mark_len: len.max(1),
            help: None,
        }
    }
}
