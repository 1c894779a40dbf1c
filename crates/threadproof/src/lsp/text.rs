//! Positions: from lines and columns of reports to those of the protocol, and from files to URIs.
//!
//! The protocol counts lines from 0 and characters in UTF-16 code units; reports count lines and bytes from 1.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The path that a `file:` URI names.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The URI of a path.
pub fn uri_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Where something is in a text, as the protocol writes it: from a line and a column, both from 1 on, to the end of `len` bytes, or of the line if there is no `len`.
/// Without a column, it is the line's text.
pub fn range(text: &str, line: u32, column: u32, len: Option<u32>) -> Value {
    let n = line.saturating_sub(1);
    let line = text.lines().nth(n as usize).unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let end = line.trim_end().len();
    let start = match column.checked_sub(1).map(|column| column as usize) {
        Some(column) if column < end && line.is_char_boundary(column) => column,
        _ => indent.min(end),
    };
    let stop = len.map_or(end, |len| (start + len as usize).min(end));
    let stop = if line.is_char_boundary(stop) { stop } else { end };
    json!({
        "start": { "line": n, "character": units(&line[..start]) },
        "end": { "line": n, "character": units(&line[..stop]) },
    })
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The identifier at a position of the protocol, and its range.
pub fn word_at(text: &str, line: u64, character: u64) -> Option<(String, Value)> {
    let source = text.lines().nth(usize::try_from(line).ok()?)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut units_before = 0;
    let mut at = source.len();
    for (offset, c) in source.char_indices() {
        if units_before >= character {
            at = offset;
            break;
        }
        units_before += c.len_utf16() as u64;
    }
    let start = source[..at]
        .rfind(|c| !is_part(c))
        .map_or(0, |before| before + source[before..].chars().next().map_or(1, char::len_utf8));
    let end = source[at..].find(|c| !is_part(c)).map_or(source.len(), |after| at + after);
    let word = &source[start..end];
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let range = json!({
        "start": { "line": line, "character": units(&source[..start]) },
        "end": { "line": line, "character": units(&source[..end]) },
    });
    Some((word.to_owned(), range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        for path in ["/a/b c.c", "/ä/100%.c"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("file:///a%20b"), Some(PathBuf::from("/a b")));
        assert_eq!((path_of("untitled:1"), path_of("file:///a%2")), (None, None));
    }

    #[test]
    fn ranges_count_utf_16() {
        let text = "int x;\n  /* 🧵 */ y = 1;  \n";
        let check = |line, column, len, expected: [u64; 2]| {
            let range = range(text, line, column, len);
            let of = |end: &str| range[end]["character"].as_u64().unwrap();
            assert_eq!([of("start"), of("end")], expected, "{line}:{column}");
        };
        check(1, 5, Some(1), [4, 5]);
        check(2, 14, None, [11, 17]);
        check(2, 0, None, [2, 17]);
        check(2, 99, None, [2, 17]);
        check(7, 1, None, [0, 0]);
    }

    #[test]
    fn words_are_identifiers() {
        let text = "🧵 counter += a_1 + 23;";
        let word = |character| word_at(text, 0, character).map(|(word, _)| word);
        assert_eq!(word(3).as_deref(), Some("counter"));
        assert_eq!(word(10).as_deref(), Some("counter"));
        assert_eq!(word(14).as_deref(), Some("a_1"));
        assert_eq!((word(11), word(21), word_at(text, 4, 0)), (None, None, None));
    }
}
