//! The parser's state: where it stands in the token list, what it has complained about, and how deep it is.

use super::MAX_ERRORS;
use super::scope::Scopes;
use crate::ast::At;
use crate::lex::{Complaint, Kind, Token};
use base::convert::count32;
use report::Level;
use rustc_hash::FxHashSet;

/// How deeply brackets, blocks, declarators, types and operators may nest.
pub(super) const MAX_DEPTH: u32 = 500;

/// How much chains (operators in a row, `else if`, labels) may add to the height of the tree.
pub(super) const MAX_LINKS: u32 = 10_000;

/// Parsing failed, and the user has been told why.
#[derive(Debug)]
pub(super) struct Failed;

/// What a parsing function returns.
pub(super) type Parse<T> = Result<T, Failed>;

/// The parser of one text.
pub(super) struct Parser<'t, 'a> {
    text: &'a str,
    /// Ends in [`Kind::Eof`], which is never passed.
    tokens: &'t [Token],
    position: usize,
    packs: &'t [(usize, Option<u32>)],
    pub(super) scopes: Scopes<'a>,
    depth: u32,
    /// The height that chains give to the tallest tree parsed so far in the current chain.
    links: u32,
    complaints: Vec<Complaint>,
    /// Not errors, and not counted among them.
    warnings: Vec<Complaint>,
    /// What was warned about.
    warned: FxHashSet<&'a str>,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// A parser at the beginning of `tokens`.
    pub(super) fn new(text: &'a str, tokens: &'t [Token], packs: &'t [(usize, Option<u32>)]) -> Self {
        debug_assert!(tokens.last().is_some_and(|last| last.kind == Kind::Eof), "tokens should end in Eof");
        let scopes = Scopes::new();
        Self {
            text,
            tokens,
            position: 0,
            packs,
            scopes,
            depth: 0,
            links: 0,
            complaints: Vec::new(),
            warnings: Vec::new(),
            warned: FxHashSet::default(),
        }
    }

    pub(super) fn into_complaints(self) -> Vec<Complaint> {
        let mut all = self.complaints;
        all.extend(self.warnings);
        all
    }

    /// The index of the current token.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Goes to a token that was current before, or skips to a later one.
    pub(super) fn go_to(&mut self, position: usize) {
        self.position = position.min(self.tokens.len() - 1);
    }

    /// The token `ahead` tokens after the current one.
    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// The current token's kind.
    pub(super) fn kind(&self) -> Kind {
        self.tokens[self.position].kind
    }

    /// The kind of the token `ahead` tokens after the current one.
    pub(super) fn peek(&self, ahead: usize) -> Kind {
        self.token(ahead).kind
    }

    /// The kind of the token with this index.
    pub(super) fn kind_at(&self, position: usize) -> Kind {
        self.tokens[position].kind
    }

    /// The text of the token `ahead` tokens after the current one.
    pub(super) fn peek_text(&self, ahead: usize) -> &'a str {
        self.token(ahead).text(self.text)
    }

    /// Where the current token stands.
    pub(super) fn here(&self) -> At {
        self.tokens[self.position].at
    }

    /// Where the token before the current one stands.
    pub(super) fn before(&self) -> At {
        self.tokens[self.position.saturating_sub(1)].at
    }

    /// Returns true if the token with this index is the first one on its line.
    pub(super) fn starts_line(&self, position: usize) -> bool {
        let end =
            position.checked_sub(1).map_or(0, |before| self.tokens[before].at + self.tokens[before].len);
        self.text[end as usize..self.tokens[position].at as usize].contains('\n')
    }

    /// The `#pragma pack` in force at the current token.
    pub(super) fn pack(&self) -> Option<u32> {
        let after = self.packs.partition_point(|&(first, _)| first <= self.position);
        self.packs[..after].last().and_then(|&(_, pack)| pack)
    }

    pub(super) fn at(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    /// Passes the current token and says where it stood.
    pub(super) fn bump(&mut self) -> At {
        let at = self.here();
        if !self.at(Kind::Eof) {
            self.position += 1;
        }
        at
    }

    /// Passes the current token if it is of this kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let is = self.at(kind);
        if is {
            self.bump();
        }
        is
    }

    /// Passes a token of this kind, or fails; `context` is such as `" after declaration"`.
    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Parse<At> {
        if self.at(kind) {
            Ok(self.bump())
        } else {
            self.fail_expected(&format!("`{}`{context}", kind.name()))
        }
    }

    /// Passes an identifier, or fails; `what` is such as `"name of a field"`.
    pub(super) fn identifier(&mut self, what: &str) -> Parse<&'a str> {
        if !self.at(Kind::Ident) {
            return self.fail_expected(what);
        }
        let name = self.peek_text(0);
        self.bump();
        Ok(name)
    }

    /// Fails with "expected …, found …".
    pub(super) fn fail_expected<T>(&mut self, what: &str) -> Parse<T> {
        let found = match self.kind() {
            Kind::Eof => "end of file".to_owned(),
            _ => match self.peek_text(0) {
                short if short.len() <= 40 => format!("`{short}`"),
                _ => self.kind().name().to_owned(),
            },
        };
        self.fail(format!("expected {what}, found {found}"))
    }

    /// Fails with a message about the current token.
    pub(super) fn fail<T>(&mut self, message: String) -> Parse<T> {
        self.complain(message, None);
        Err(Failed)
    }

    /// Fails for want of the bracket `close`, mentioning where the opening one is.
    pub(super) fn fail_unclosed<T>(&mut self, close: Kind, opened_at: At) -> Parse<T> {
        self.complain(format!("expected `{}`, found end of file", close.name()), Some(opened_at));
        Err(Failed)
    }

    /// Records an error at the current token, unless one is known there: it would be a consequence.
    fn complain(&mut self, message: String, related: Option<At>) {
        let Token { at, len, .. } = self.tokens[self.position];
        if self.complaints.len() >= MAX_ERRORS || self.complaints.last().is_some_and(|last| last.at == at) {
            return;
        }
        self.complaints.push(Complaint { level: Level::Error, at, len, message, help: None, related });
        if self.complaints.len() == MAX_ERRORS {
            self.go_to(self.tokens.len() - 1);
        }
    }

    /// Warns at a token, the first time that something of this name deserves it.
    pub(super) fn warn_once(&mut self, at: At, name: &'a str, message: String) {
        if self.warned.insert(name) {
            let (level, len) = (Level::Warning, count32(name.len()));
            self.warnings.push(Complaint { level, at, len, message, help: None, related: None });
        }
    }

    /// Parses something if it can be parsed; otherwise stays where it is, without complaint.
    pub(super) fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let (position, n_complaints) = (self.position, self.complaints.len());
        let result = parse(self);
        if result.is_err() || self.complaints.len() > n_complaints {
            self.complaints.truncate(n_complaints);
            self.position = position;
            return None;
        }
        result.ok()
    }

    /// Parses something one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return self.fail(format!("nesting too deep (limit {MAX_DEPTH})"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses something with declarations of its own.
    pub(super) fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.scopes.open();
        let result = parse(self);
        self.scopes.close();
        result
    }

    /// Parses something that may be a chain, calling [`Parser::link`] as it grows above what was parsed in it.
    pub(super) fn chain<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let siblings = std::mem::take(&mut self.links);
        let result = parse(self);
        self.links = self.links.max(siblings);
        result
    }

    /// Makes the current chain's tree higher by `n`.
    pub(super) fn link(&mut self, n: usize) -> Parse<()> {
        self.links = self.links.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
        if self.links > MAX_LINKS {
            // Later siblings start from here again.
            self.links = MAX_LINKS;
            return self.fail(format!("chain of operators or statements too long (limit {MAX_LINKS})"));
        }
        Ok(())
    }
}
