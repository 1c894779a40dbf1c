//! Characters to symbols.

use super::Flaw;

/// Where something stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    pub file: usize,
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// A name or a word of the language.
    Word(String),
    /// Text in quotation marks.
    Text(String),
    /// A tag: a name behind an apostrophe.
    Tag(String),
    /// Everything else.
    Sign(&'static str),
    End,
}

impl Symbol {
    /// As it is shown to the user.
    pub fn show(&self) -> String {
        match self {
            Symbol::Word(word) => format!("`{word}`"),
            Symbol::Text(text) => format!("`\"{text}\"`"),
            Symbol::Tag(tag) => format!("`'{tag}`"),
            Symbol::Sign(sign) => format!("`{sign}`"),
            Symbol::End => "the end of the file".to_owned(),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 25] = [
    "^-1", "^+", "^*", "^?", "||", "++", "->", "|", "&", "\\", ";", "*", "+", "?", "~", "(", ")", "[", "]",
    "{", "}", ",", "=", "_", "0",
];

/// The symbols of a text; the last one is the end. `inside` texts are ours and may use names with `$`.
pub(super) fn symbols(file: usize, name: &str, text: &str) -> Result<Vec<(Symbol, Position)>, Flaw> {
    let inside = name.starts_with('<');
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let position = position(file, &text[..text.len() - rest.len()]);
        let flaw = |what: &str| Err(Flaw { place: place(name, position), what: what.to_owned() });
        let Some(first) = rest.chars().next() else {
            found.push((Symbol::End, position));
            return Ok(found);
        };
        if rest.starts_with("(*") {
            let Some(len) = comment(rest) else { return flaw("this comment has no end") };
            rest = &rest[len..];
            continue;
        }
        if rest.starts_with("//") || first == '#' {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '\'');
        let word_len = |rest: &str| rest.find(|c: char| !is_inner(c)).unwrap_or(rest.len());
        let (symbol, len) = if first == '"' {
            let Some(len) = rest[1..].find(['"', '\n']).filter(|len| rest[1 + len..].starts_with('"')) else {
                return flaw("this text has no closing quotation mark");
            };
            (Symbol::Text(rest[1..=len].to_owned()), len + 2)
        } else if first == '\'' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let len = 1 + word_len(&rest[1..]);
            (Symbol::Tag(rest[1..len].to_owned()), len)
        } else if first.is_ascii_alphabetic() || inside && first == '$' {
            let len = 1 + word_len(&rest[1..]);
            (Symbol::Word(rest[..len].to_owned()), len)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            let next = rest[sign.len()..].chars().next();
            if matches!(sign, "_" | "0") && next.is_some_and(is_inner) {
                return flaw("names begin with a letter");
            }
            (Symbol::Sign(sign), sign.len())
        } else {
            return flaw(&format!("the character `{first}` is not understood"));
        };
        found.push((symbol, position));
        rest = &rest[len..];
    }
}

/// The length of the comment with which a text begins; comments nest.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*)") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

fn position(file: usize, before: &str) -> Position {
    let line = 1 + before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    Position { file, line, column: 1 + last.chars().count() }
}

/// A place, for the user.
pub(super) fn place(file: &str, position: Position) -> String {
    format!("{file}:{}:{}", position.line, position.column)
}
