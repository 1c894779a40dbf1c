//! From characters to tokens.

use super::names::{continues_identifier, starts_identifier};
use super::{OPERATORS, SYNONYMS, TextError};

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// An identifier or a reserved word.
    Word(String),
    /// A name in back quotes.
    Quoted(String),
    /// A string.
    Text(Vec<u8>),
    /// A number without sign.
    Int(u128),
    /// The bits of a number without sign, 32 of them or 64.
    Float(u64, u8),
    /// An operator or other sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it starts.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub col: u32,
    /// True if it is the first of its line.
    pub starts_line: bool,
}

/// Signs that are no binary operators.
const SIGNS: [&str; 16] = ["->", "(", ")", "[", "]", "{", "}", ":", ";", ",", "=", "@", "#", "!", "~", "&"];

/// All tokens of `text`, the last one being [`Token::End`].
pub fn lex(text: &str) -> Result<Vec<Lexeme>, TextError> {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, line: 1, line_start: 0 };
    let mut lexemes: Vec<Lexeme> = Vec::new();
    loop {
        lexer.skip_blanks();
        let (line, col) = (lexer.line, lexer.col());
        let starts_line = lexemes.last().is_none_or(|last| last.line != line);
        let token = lexer.token().map_err(|message| TextError { line, col, message })?;
        let ends = token == Token::End;
        lexemes.push(Lexeme { token, line, col, starts_line });
        if ends {
            return Ok(lexemes);
        }
    }
}

/// A position in a text.
struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'t> Lexer<'t> {
    fn col(&self) -> u32 {
        u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The bytes from here on while `accept`, which are passed.
    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&c| !accept(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            if self.text[self.at..].starts_with(b"//") {
                self.take_while(|c| c != b'\n');
            } else if c.is_ascii_whitespace() {
                self.at += 1;
                self.pass_line(c);
            } else {
                return;
            }
        }
    }

    /// Counts the line that `c`, just passed, may have ended.
    fn pass_line(&mut self, c: u8) {
        if c == b'\n' {
            self.line += 1;
            self.line_start = self.at;
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        match self.peek() {
            None => Ok(Token::End),
            Some(c) if starts_identifier(c) => Ok(Token::Word(ascii(self.take_while(continues_identifier)))),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(b'"') => Ok(Token::Text(self.quoted()?)),
            Some(b'`') => {
                let name = String::from_utf8(self.quoted()?);
                Ok(Token::Quoted(name.map_err(|_| "this name is not UTF-8")?))
            }
            Some(_) => self.sign(),
        }
    }

    /// `12`, `0x1f`, `1.5f32`, `1e-7f64`.
    fn number(&mut self) -> Result<Token, String> {
        if self.text[self.at..].starts_with(b"0x") {
            self.at += 2;
            let digits = ascii(self.take_while(|c| c.is_ascii_hexdigit()));
            return u128::from_str_radix(&digits, 16).map(Token::Int).map_err(|e| format!("0x{digits}: {e}"));
        }
        let mut digits = ascii(self.take_while(|c| c.is_ascii_digit()));
        if !matches!(self.peek(), Some(b'.' | b'e' | b'f')) {
            return digits.parse().map(Token::Int).map_err(|e| format!("{digits}: {e}"));
        }
        digits += &ascii(self.take_while(|c| c.is_ascii_digit() || c == b'.'));
        if self.peek() == Some(b'e') {
            self.at += 1;
            digits += "e";
            digits += &ascii(self.take_while(|c| c.is_ascii_digit() || c == b'-'));
        }
        let suffix = ascii(self.take_while(continues_identifier));
        let bits = match suffix.as_str() {
            "f32" => digits.parse().map(|value: f32| Token::Float(u64::from(value.to_bits()), 32)),
            "f64" => digits.parse().map(|value: f64| Token::Float(value.to_bits(), 64)),
            _ => return Err(format!("{digits}{suffix} is no number: f32 or f64 should follow a fraction")),
        };
        bits.map_err(|e| format!("{digits}: {e}"))
    }

    /// What stands between two quotes of the kind that is next.
    fn quoted(&mut self) -> Result<Vec<u8>, String> {
        let mark = self.peek();
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            let c = self.peek();
            self.at += 1;
            match c {
                None => return Err("this quote does not end".to_string()),
                c if c == mark => return Ok(bytes),
                Some(b'\\') => bytes.push(self.escape()?),
                Some(c) => {
                    self.pass_line(c);
                    bytes.push(c);
                }
            }
        }
    }

    /// The byte that the escape after a backslash stands for.
    fn escape(&mut self) -> Result<u8, String> {
        let c = self.peek();
        self.at += 1;
        match c {
            Some(b'n') => Ok(b'\n'),
            Some(b't') => Ok(b'\t'),
            Some(b'0') => Ok(0),
            Some(c @ (b'\\' | b'"' | b'`')) => Ok(c),
            Some(b'x') => {
                let digits =
                    self.text.get(self.at..self.at + 2).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
                let digits = digits.ok_or("\\x should be followed by two hexadecimal digits")?;
                self.at += 2;
                Ok(u8::from_str_radix(&ascii(digits), 16).expect("two hexadecimal digits should be a byte"))
            }
            _ => Err("a backslash should be followed by n, t, 0, x, a quote or a backslash".to_string()),
        }
    }

    /// The longest sign from here on; one that ends in a letter is not followed by more letters.
    fn sign(&mut self) -> Result<Token, String> {
        let rest = &self.text[self.at..];
        let operators = OPERATORS.iter().map(|&(_, sign, _)| sign);
        let synonyms = SYNONYMS.iter().map(|&(_, sign, _, _)| sign);
        let fits = |sign: &&str| {
            let glued = rest.get(sign.len()).is_some_and(|&c| continues_identifier(c));
            rest.starts_with(sign.as_bytes()) && !(glued && sign.ends_with(['s', 'u']))
        };
        let longest = operators.chain(synonyms).chain(SIGNS).filter(fits).max_by_key(|sign| sign.len());
        let Some(sign) = longest else {
            let hint = match rest[0] {
                b'<' | b'>' | b'/' | b'%' => ": say whether it is signed (s), unsigned (u) or IEEE (.)",
                _ => "",
            };
            let found = String::from_utf8_lossy(rest).chars().next().unwrap_or(' ');
            return Err(format!("nothing starts with {found:?}{hint}"));
        };
        self.at += sign.len();
        Ok(Token::Sign(sign))
    }
}

/// Bytes that are known to be ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&c| char::from(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[Token]) {
        let tokens: Vec<Token> = lex(text).unwrap().into_iter().map(|l| l.token).collect();
        assert_eq!(tokens[..tokens.len() - 1], *expect, "{text}");
    }

    #[test]
    fn tokens() {
        use Token::*;
        let word = |w: &str| Word(w.to_string());
        check("x <s y // z", &[word("x"), Sign("<s"), word("y")]);
        check("x>>u-1", &[word("x"), Sign(">>u"), Sign("-"), Int(1)]);
        check("a<=.b", &[word("a"), Sign("<=."), word("b")]);
        check("0x10:64", &[Int(16), Sign(":"), Int(64)]);
        check("1.5f64 1e-7f32", &[Float(1.5f64.to_bits(), 64), Float(u64::from(1e-7f32.to_bits()), 32)]);
        check("`a b` \"\\x00\\n\"", &[Quoted("a b".to_string()), Text(vec![0, b'\n'])]);
        check("!= ! ->", &[Sign("!="), Sign("!"), Sign("->")]);
    }

    #[test]
    fn errors_have_places() {
        for (text, line, col) in
            [("x\n  ?", 2, 3), ("\"abc", 1, 1), ("x < y", 1, 3), ("1.5", 1, 1), ("`\\q`", 1, 1)]
        {
            let error = lex(text).unwrap_err();
            assert_eq!((error.line, error.col), (line, col), "{text}: {error}");
        }
    }
}
