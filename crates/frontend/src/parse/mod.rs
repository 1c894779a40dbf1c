//! The parser: tokens to a syntax tree, by recursive descent, for C11 with GNU's extensions as found in real files.
//!
//! | file | parses |
//! |---|---|
//! | `mod` | a translation unit |
//! | `decl` | declarations, function definitions, initialisers |
//! | `declarator` | declarators, parameters, type names |
//! | `specifiers` | declaration specifiers, `struct`, `union`, `enum` |
//! | `attributes` | `__attribute__`, `[[…]]`, `_Alignas`, `__declspec`, asm labels |
//! | `stmt` | statements, `asm` |
//! | `expr`, `primary` | expressions |
//! | `cursor` | (the parser's state: tokens, messages, limits) |
//! | `recover` | (where to go on after an error) |
//! | `scope` | (which identifiers are type names) |
//!
//! **Errors.** A function that cannot parse complains once and returns [`Failed`]; blocks, record bodies and the file
//! scope catch it, skip to a likely restart point and go on. After [`MAX_ERRORS`] the parser stops.
//!
//! **Depth.** Every cycle of recursion passes through [`Parser::nested`], which refuses more than
//! [`cursor::MAX_DEPTH`] levels. What grows long without brackets (operators in a row, `else if`, labels) is parsed by
//! loops, and [`Parser::link`] bounds the height that such chains add to the tree, because walking and
//! dropping the tree recurse over it.
//!
//! **Types that are never declared.** Test programs are often stripped of their headers' text. An undeclared
//! identifier in a place where only a type makes sense is taken for one ([`specifiers::SpecifierContext`]); whether it is
//! known is for the type checker to say. May accept too much, never misreads a valid program: a declared name is
//! never taken for an unknown type.

mod attributes;
mod cursor;
mod decl;
mod declarator;
mod expr;
mod primary;
mod recover;
mod scope;
mod specifiers;
mod stmt;
#[cfg(test)]
mod tests;

use crate::ast::External;
use crate::lex::{Complaint, Kind, lex};
use crate::source::{Files, LineMap, Unit};
use cursor::{Failed, Parse, Parser};
use report::{Diagnostic, Level};

/// Maximum number of errors that are reported.
pub const MAX_ERRORS: usize = 20;

/// What came of parsing a text.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The text and its presumed positions.
    pub unit: Unit<'a>,
    /// What could be parsed.
    pub items: Vec<External<'a>>,
    /// In the order of the text; those of [`Level::Error`] say what could not be parsed.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses one preprocessed text. Always returns what could be parsed; diagnostics of [`Level::Error`] say what could
/// not.
pub fn parse_unit<'a>(text: &'a str, file_name: &str, library: bool, files: &mut Files) -> Parsed<'a> {
    if u32::try_from(text.len()).is_err() {
        let unit = Unit { text, lines: LineMap::default(), library };
        let diagnostic = Diagnostic::about_file(Level::Error, file_name, "the text is larger than 4 GiB");
        return Parsed { unit, items: Vec::new(), diagnostics: vec![diagnostic] };
    }
    let lexed = lex(text, file_name, files);
    let mut parser = Parser::new(text, &lexed.tokens, &lexed.packs);
    let mut items = parser.translation_unit();
    items.extend(lexed.weak.into_iter().map(|(at, name, target)| External::Weak(at, name, target)));
    let mut complaints = lexed.complaints;
    complaints.extend(parser.into_complaints());
    let unit = Unit { text, lines: lexed.lines, library };
    let diagnostics = diagnose(complaints, &unit, files);
    Parsed { unit, items, diagnostics }
}

/// The first [`MAX_ERRORS`] errors, and what stands between them, in the order of the text.
fn diagnose(mut complaints: Vec<Complaint>, unit: &Unit<'_>, files: &Files) -> Vec<Diagnostic> {
    complaints.sort_by_key(|complaint| complaint.at);
    let mut diagnostics = Vec::new();
    let mut n_errors = 0;
    for complaint in complaints {
        let Complaint { level, at, len, message, help, related } = complaint;
        let mut diagnostic = unit.diagnostic(files, level, at, len, message);
        diagnostic.help = help.or_else(|| {
            let span = unit.span(related?);
            span.is_somewhere()
                .then(|| format!("it begins at {}:{}:{}", files.name(span.file), span.line, span.col))
        });
        diagnostics.push(diagnostic);
        n_errors += usize::from(level == Level::Error);
        if n_errors == MAX_ERRORS {
            diagnostics.push(unit.diagnostic(files, Level::Note, at, len, "too many errors: stopped here"));
            break;
        }
    }
    diagnostics
}

impl<'a> Parser<'_, 'a> {
    fn translation_unit(&mut self) -> Vec<External<'a>> {
        let mut items = Vec::new();
        while !self.at(Kind::Eof) {
            let start = self.position();
            match self.external() {
                Ok(item) => items.extend(item),
                Err(Failed) => self.recover_external(start),
            }
        }
        items
    }

    /// One item of the file scope; a lone `;` is none.
    fn external(&mut self) -> Parse<Option<External<'a>>> {
        if self.eat(Kind::Semi) {
            return Ok(None);
        }
        if self.at_static_assert() {
            return Ok(Some(External::StaticAssert(self.static_assert()?)));
        }
        if self.at(Kind::Asm) {
            let at = self.here();
            let asm = self.asm()?;
            self.eat(Kind::Semi);
            return Ok(Some(External::Asm(at, asm)));
        }
        self.external_declaration().map(Some)
    }
}
