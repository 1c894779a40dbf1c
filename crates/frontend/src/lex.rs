//! The lexer: preprocessed C as a list of tokens, and where each line of it comes from.
//!
//! A token is a kind and a range of bytes; its text is looked up on demand. While it reads, the lexer
//! fills the [`LineMap`] (one entry for each physical line, following line markers) and notes which `#pragma pack` is
//! in force from which token on.
//!
//! It never gives up: what is no token is complained about and skipped. Two liberties are taken because real files
//! need them: comments may stand anywhere, and `$`, universal character names and all of Unicode outside ASCII are
//! letters. A backslash-newline separates tokens; inside literals it stays in the literal's text.

mod directive;
mod kind;

pub use kind::Kind;

use crate::ast::At;
use crate::source::{Files, LineMap};
use base::FileId;
use base::convert::count32;
use directive::{Directive, Pack};
use report::Level;
use rustc_hash::{FxHashMap, FxHashSet};

/// A token: its kind and its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub at: At,
    /// How many bytes it has.
    pub len: u32,
}

impl Token {
    /// Its spelling in the text it was read from.
    pub fn text(self, text: &str) -> &str {
        &text[self.at as usize..(self.at + self.len) as usize]
    }
}

/// A message about a range of bytes; it becomes a [`report::Diagnostic`] when the line map is complete.
#[derive(PartialEq, Eq, Debug)]
pub struct Complaint {
    /// How bad it is.
    pub level: Level,
    /// Where.
    pub at: At,
    /// How many bytes it concerns.
    pub len: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it, or what else is known.
    pub help: Option<String>,
    /// A place that the message also concerns, such as the brace that was never closed.
    pub related: Option<At>,
}

/// What the lexer makes of a text.
#[derive(Debug)]
pub struct Lexed<'t> {
    /// All tokens; the last one, and only that, is [`Kind::Eof`].
    pub tokens: Vec<Token>,
    /// Presumed positions.
    pub lines: LineMap,
    /// From the token with this index on, this `#pragma pack` is in force; ascending.
    pub packs: Vec<(usize, Option<u32>)>,
    /// `#pragma weak`: where, the name, and what it is another name of.
    pub weak: Vec<(At, &'t str, Option<&'t str>)>,
    /// What is no token.
    pub complaints: Vec<Complaint>,
}

/// Splits a preprocessed text, of less than 4 GiB, into tokens.
pub fn lex<'t>(text: &'t str, file_name: &str, files: &mut Files) -> Lexed<'t> {
    let file = files.intern(file_name);
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line_start: true,
        file,
        line: 0,
        files,
        keywords: kind::keywords(),
        pack: None,
        pack_stack: Vec::new(),
        warned: FxHashSet::default(),
        lexed: Lexed {
            // Real files have a token for every five to seven bytes.
            tokens: Vec::with_capacity(text.len() / 5 + 1),
            lines: LineMap::default(),
            packs: Vec::new(),
            weak: Vec::new(),
            complaints: Vec::new(),
        },
    };
    lexer.run();
    lexer.lexed
}

struct Lexer<'t, 'f> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// True if only white space and comments have been seen on this line.
    line_start: bool,
    file: FileId,
    /// The presumed number of the current line; wraps, since `# 0` makes the line before it number -1.
    line: u32,
    files: &'f mut Files,
    keywords: FxHashMap<&'static str, Kind>,
    pack: Option<u32>,
    pack_stack: Vec<Option<u32>>,
    /// Pragmas that were warned about.
    warned: FxHashSet<&'t str>,
    lexed: Lexed<'t>,
}

impl Lexer<'_, '_> {
    fn run(&mut self) {
        self.start_line();
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.start_line();
                    self.line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.splice_len(self.at) > 0 => {
                    self.at += self.splice_len(self.at);
                    self.start_line();
                }
                b'/' if self.peek(1) == b'/' => self.skip_to_line_end(),
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                b'#' if self.line_start => self.directive(),
                _ => {
                    self.line_start = false;
                    self.token(byte);
                }
            }
        }
        self.push(Kind::Eof, self.at);
    }

    /// Records that a physical line starts here.
    fn start_line(&mut self) {
        self.line = self.line.wrapping_add(1);
        self.lexed.lines.push(count32(self.at), self.file, self.line);
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length of the backslash-newline at `at`, 0 if there is none.
    fn splice_len(&self, at: usize) -> usize {
        match self.bytes[at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    /// Pushes the token that begins at `start` and ends here.
    fn push(&mut self, kind: Kind, start: usize) {
        self.lexed.tokens.push(Token { kind, at: count32(start), len: count32(self.at - start) });
    }

    fn complain(&mut self, level: Level, start: usize, message: impl Into<String>, help: Option<&str>) {
        self.lexed.complaints.push(Complaint {
            level,
            at: count32(start),
            len: count32(self.at - start),
            message: message.into(),
            help: help.map(str::to_owned),
            related: None,
        });
    }

    /// Goes to the next newline that no backslash hides.
    fn skip_to_line_end(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if self.splice_len(self.at) > 0 => {
                    self.at += self.splice_len(self.at);
                    self.start_line();
                }
                _ => self.at += 1,
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        self.at += 2;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\n' => self.start_line(),
                b'*' if self.peek(0) == b'/' => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
        }
        let end = std::mem::replace(&mut self.at, start + 2);
        self.complain(Level::Error, start, "unterminated comment", None);
        self.at = end;
    }

    fn directive(&mut self) {
        let start = self.at;
        self.skip_to_line_end();
        let text = self.text;
        match Directive::parse(&text[start + 1..self.at]) {
            Directive::Line(line, file) => {
                if let Some(file) = file {
                    self.file = self.files.intern(&file);
                }
                // The newline that ends the marker makes it `line`.
                self.line = line.wrapping_sub(1);
            }
            Directive::Pack(pack) => self.set_pack(pack),
            Directive::Weak(name, target) => self.lexed.weak.push((count32(start), name, target)),
            Directive::Ignored => {}
            Directive::UnknownPragma(name) => {
                if self.warned.insert(name) {
                    let message = format!("`#pragma {name}` is not known and ignored");
                    self.complain(Level::Warning, start, message, None);
                }
            }
            Directive::UnsupportedPragma(name) => {
                let message =
                    format!("`#pragma {name}` changes the meaning of what follows and has no model");
                self.complain(Level::Error, start, message, None);
            }
            Directive::Definition(name) => {
                let message = format!("ignored `#{name}` in preprocessed text");
                self.complain(Level::Warning, start, message, None);
            }
            Directive::Unexpected(name) => {
                let message = format!("unexpected directive `#{name}` in preprocessed text");
                let help = "files whose names end in `.i` are not preprocessed; rename it to `.c`";
                self.complain(Level::Error, start, message, Some(help));
            }
        }
    }

    fn set_pack(&mut self, pack: Pack) {
        self.pack = match pack {
            Pack::Set(pack) => pack,
            Pack::Push(pack) => {
                self.pack_stack.push(self.pack);
                pack.or(self.pack)
            }
            Pack::Pop(pack) => pack.or(self.pack_stack.pop().flatten()),
        };
        self.lexed.packs.push((self.lexed.tokens.len(), self.pack));
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        if is_letter(byte) || self.at_universal_character_name() {
            self.word(start);
        } else if byte.is_ascii_digit() || byte == b'.' && self.peek(1).is_ascii_digit() {
            self.number(start);
        } else if byte == b'"' || byte == b'\'' {
            self.literal(start, byte);
        } else if let Some((kind, len)) = punctuator(byte, self.peek(1), self.peek(2)) {
            self.at += len;
            self.push(kind, start);
        } else {
            self.at += 1;
            let shown = char::from(byte).escape_default();
            self.complain(Level::Error, start, format!("stray `{shown}` in program"), None);
        }
    }

    fn at_universal_character_name(&self) -> bool {
        self.peek(0) == b'\\' && matches!(self.peek(1), b'u' | b'U')
    }

    /// An identifier, a keyword, or the prefix of a literal.
    fn word(&mut self, start: usize) {
        loop {
            while is_letter(self.peek(0)) || self.peek(0).is_ascii_digit() {
                self.at += 1;
            }
            if !self.at_universal_character_name() {
                break;
            }
            self.at += 2;
        }
        let word = &self.text[start..self.at];
        let quote = self.peek(0);
        if matches!(quote, b'"' | b'\'') && matches!(word, "L" | "u" | "U" | "u8") {
            return self.literal(start, quote);
        }
        let kind = self.keywords.get(word).copied().unwrap_or(Kind::Ident);
        self.push(kind, start);
    }

    /// A preprocessing number, except that `1...2` is three tokens and so is `0x1e+2`.
    fn number(&mut self, start: usize) {
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        let exponent = if hexadecimal { b'p' } else { b'e' };
        loop {
            let (byte, next) = (self.peek(0), self.peek(1));
            let belongs = match byte {
                b'.' => next != b'.',
                b'+' | b'-' => self.at > start && self.bytes[self.at - 1] | 0x20 == exponent,
                b'\'' => next.is_ascii_alphanumeric(),
                _ => is_letter(byte) || byte.is_ascii_digit(),
            };
            if !belongs {
                break;
            }
            self.at += 1;
        }
        self.push(Kind::Number, start);
    }

    /// A string literal or character constant whose prefix has been read.
    fn literal(&mut self, start: usize, quote: u8) {
        let kind = if quote == b'"' { Kind::Str } else { Kind::Char };
        self.at += 1;
        let first = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(b'\\') => match self.splice_len(self.at) {
                    0 => self.at = (self.at + 2).min(self.bytes.len()),
                    splice => {
                        self.at += splice;
                        self.start_line();
                    }
                },
                Some(&byte) if byte == quote => break,
                None | Some(b'\n') => {
                    let message = format!("missing closing `{}`", char::from(quote));
                    self.complain(Level::Error, start, message, None);
                    return self.push(kind, start);
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if kind == Kind::Char && self.at == first + 1 {
            self.complain(Level::Error, start, "empty character constant", None);
        }
        self.push(kind, start);
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// The longest punctuator at the beginning of three bytes, digraphs included.
#[rustfmt::skip]
fn punctuator(first: u8, second: u8, third: u8) -> Option<(Kind, usize)> {
    use Kind::*;
    Some(match (first, second, third) {
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'<', b'<', b'=') => (ShlEq, 3),
        (b'>', b'>', b'=') => (ShrEq, 3),
        (b'-', b'>', _) => (Arrow, 2),
        (b'!', b'=', _) => (BangEq, 2),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'+', b'=', _) => (PlusEq, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'-', b'=', _) => (MinusEq, 2),
        (b'*', b'=', _) => (StarEq, 2),
        (b'/', b'=', _) => (SlashEq, 2),
        (b'%', b'=', _) => (PercentEq, 2),
        (b'%', b'>', _) => (RBrace, 2),
        (b'<', b'=', _) => (LtEq, 2),
        (b'<', b'<', _) => (Shl, 2),
        (b'<', b':', _) => (LBracket, 2),
        (b'<', b'%', _) => (LBrace, 2),
        (b'>', b'=', _) => (GtEq, 2),
        (b'>', b'>', _) => (Shr, 2),
        (b'=', b'=', _) => (EqEq, 2),
        (b'&', b'&', _) => (AmpAmp, 2),
        (b'&', b'=', _) => (AmpEq, 2),
        (b'|', b'|', _) => (PipePipe, 2),
        (b'|', b'=', _) => (PipeEq, 2),
        (b'^', b'=', _) => (CaretEq, 2),
        (b':', b'>', _) => (RBracket, 2),
        (b';', ..) => (Semi, 1),
        (b',', ..) => (Comma, 1),
        (b'(', ..) => (LParen, 1),
        (b')', ..) => (RParen, 1),
        (b'{', ..) => (LBrace, 1),
        (b'}', ..) => (RBrace, 1),
        (b'[', ..) => (LBracket, 1),
        (b']', ..) => (RBracket, 1),
        (b'.', ..) => (Dot, 1),
        (b'?', ..) => (Question, 1),
        (b':', ..) => (Colon, 1),
        (b'~', ..) => (Tilde, 1),
        (b'!', ..) => (Bang, 1),
        (b'+', ..) => (Plus, 1),
        (b'-', ..) => (Minus, 1),
        (b'*', ..) => (Star, 1),
        (b'/', ..) => (Slash, 1),
        (b'%', ..) => (Percent, 1),
        (b'<', ..) => (Lt, 1),
        (b'>', ..) => (Gt, 1),
        (b'=', ..) => (Eq, 1),
        (b'&', ..) => (Amp, 1),
        (b'|', ..) => (Pipe, 1),
        (b'^', ..) => (Caret, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
