//! Names and strings: when they are quoted, and how.

use std::fmt::Write;

/// Words that mean something in some place; a thing of such a name is written in back quotes.
const RESERVED: [&str; 52] = [
    "align",
    "alloc",
    "alloca",
    "arbitrary",
    "assume",
    "atomic_begin",
    "atomic_end",
    "broadcast",
    "call",
    "copy",
    "create",
    "detach",
    "else",
    "entry",
    "error",
    "exit",
    "false",
    "fence",
    "fill",
    "fn",
    "forget",
    "end_life",
    "free",
    "function",
    "goto",
    "guard",
    "havoc",
    "if",
    "join",
    "library",
    "library_alloc",
    "memory",
    "object",
    "pointers",
    "read_only",
    "realloc",
    "reg",
    "return",
    "self",
    "signal",
    "signed",
    "skip",
    "summary",
    "temp",
    "then",
    "thread_exit",
    "thread_local",
    "true",
    "undefined",
    "unsupported",
    "wait_begin",
    "wait_end",
];

/// Returns true if `word` is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Returns true if an identifier can start with `c`.
pub fn starts_identifier(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_' || c == b'$'
}

/// Returns true if an identifier can go on with `c`.
pub fn continues_identifier(c: u8) -> bool {
    starts_identifier(c) || c.is_ascii_digit() || c == b'.'
}

/// `name` as it is written.
pub fn quote_name(name: &str) -> String {
    let bytes = name.as_bytes();
    let plain = bytes.first().is_some_and(|&c| starts_identifier(c))
        && bytes.iter().all(|&c| continues_identifier(c))
        && !is_reserved(name);
    if plain { name.to_string() } else { quote(name.as_bytes(), '`', true) }
}

/// `text` as a string.
pub fn quote_string(text: &str) -> String {
    quote(text.as_bytes(), '"', true)
}

/// `bytes` as a string.
pub fn quote_bytes(bytes: &[u8]) -> String {
    quote(bytes, '"', false)
}

/// `bytes` between quotes; bytes outside of ASCII stay only if `bytes` is `utf8`.
fn quote(bytes: &[u8], mark: char, utf8: bool) -> String {
    let mut out = String::from(mark);
    let mut rest = bytes;
    while let Some(&c) = rest.first() {
        let length = if utf8 && c >= 0x80 { character_length(c) } else { 1 };
        let (head, tail) = rest.split_at(length.min(rest.len()));
        match c {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0 => out.push_str("\\0"),
            b'\\' => out.push_str("\\\\"),
            _ if char::from(c) == mark => out.extend(['\\', mark]),
            b' '..=b'~' => out.push(char::from(c)),
            _ if utf8 && c >= 0x80 => out.push_str(&String::from_utf8_lossy(head)),
            _ => write!(out, "\\x{c:02x}").expect("a String should accept all writes"),
        }
        rest = tail;
    }
    out.push(mark);
    out
}

/// How many bytes the UTF-8 character that starts with `first` has.
fn character_length(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_stay_bare() {
        let cases = [
            ("x", "x"),
            ("main.count$1", "main.count$1"),
            ("if", "`if`"),
            ("", "``"),
            ("1x", "`1x`"),
            (".x", "`.x`"),
            ("a b", "`a b`"),
            ("a`\\\n", "`a\\`\\\\\\n`"),
            ("ä€😀", "`ä€😀`"),
        ];
        for (name, written) in cases {
            assert_eq!(quote_name(name), written);
        }
    }

    #[test]
    fn bytes_are_escaped() {
        assert_eq!(quote_bytes(b"a\"\0\xff\x01"), "\"a\\\"\\0\\xff\\x01\"");
    }
}
