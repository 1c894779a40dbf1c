//! How the parser looks at tokens: peeking, passing, and complaining.

use super::TextError;
use super::lex::Token;
use super::names::is_reserved;
use super::parse::{Parsed, Parser};
use crate::Width;
use base::{FileId, Span};

impl Parser {
    pub(super) fn peek(&self) -> &Token {
        self.peek_ahead(0)
    }

    pub(super) fn peek_ahead(&self, n: usize) -> &Token {
        self.lexemes.get(self.at + n).map_or(&Token::End, |lexeme| &lexeme.token)
    }

    pub(super) fn peek_word(&self) -> Option<&str> {
        if let Token::Word(word) = self.peek() { Some(word) } else { None }
    }

    pub(super) fn starts_line(&self) -> bool {
        self.lexemes.get(self.at).is_none_or(|lexeme| lexeme.starts_line)
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(sign)) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    pub(super) fn word(&mut self) -> Parsed<String> {
        let Some(word) = self.peek_word() else { return Err(self.expected("a word")) };
        let word = word.to_string();
        self.at += 1;
        Ok(word)
    }

    /// A name: a word that is not reserved, or anything in back quotes.
    pub(super) fn name(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Token::Word(word) if !is_reserved(word) => word.clone(),
            Token::Quoted(name) => name.clone(),
            Token::Word(word) => {
                return Err(self.error(format!("{word} is reserved: as a name, it is `{word}`")));
            }
            _ => return Err(self.expected("a name")),
        };
        self.at += 1;
        Ok(name)
    }

    pub(super) fn string(&mut self) -> Parsed<String> {
        let Token::Text(bytes) = self.peek() else { return Err(self.expected("a string")) };
        let text = String::from_utf8(bytes.clone()).map_err(|_| self.error("this string is not UTF-8"))?;
        self.at += 1;
        Ok(text)
    }

    pub(super) fn number<N: TryFrom<u128>>(&mut self) -> Parsed<N> {
        let Token::Int(value) = *self.peek() else { return Err(self.expected("a number")) };
        let value = N::try_from(value).map_err(|_| self.error("this number is too large"))?;
        self.at += 1;
        Ok(value)
    }

    pub(super) fn width(&mut self) -> Parsed<Width> {
        let width = self.number()?;
        if !(1..=128).contains(&width) {
            return Err(self.error_before("a width should be from 1 to 128"));
        }
        Ok(Width(width))
    }

    pub(super) fn span(&mut self) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span::NOWHERE);
        }
        let file = FileId(self.number()?);
        self.expect(":")?;
        let line = self.number()?;
        self.expect(":")?;
        Ok(Span { file, line, col: self.number()? })
    }

    pub(super) fn error_at(&self, lexeme: usize, message: impl Into<String>) -> TextError {
        let place = self.lexemes.get(lexeme).or(self.lexemes.last());
        let (line, col) = place.map_or((1, 1), |l| (l.line, l.col));
        TextError { line, col, message: message.into() }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> TextError {
        self.error_at(self.at, message)
    }

    /// An error at the token that has just been passed.
    pub(super) fn error_before(&self, message: impl Into<String>) -> TextError {
        self.error_at(self.at.saturating_sub(1), message)
    }

    pub(super) fn expected(&self, what: &str) -> TextError {
        let found = match self.peek() {
            Token::Word(word) => word.clone(),
            Token::Quoted(name) => format!("`{name}`"),
            Token::Text(_) => "a string".to_string(),
            Token::Int(value) => value.to_string(),
            Token::Float(..) => "a fraction".to_string(),
            Token::Sign(sign) => (*sign).to_string(),
            Token::End => "the end".to_string(),
        };
        self.error(format!("expected {what}, found {found}"))
    }
}
