//! Which names a preprocessed text mentions, as opposed to: only declares.
//!
//! A program that includes `<string.h>` declares every function of it and calls two. A name counts as mentioned if it stands
//! inside braces (a body, an initialiser, harmlessly a record) or after `=` at file scope. An `asm` label of a declaration is
//! mentioned if the declared name is. `__builtin_X` and its checking variant mention `X`, and complex numbers the functions that multiply and divide them.
//!
//! This is a scan of the text, without tokens or syntax. Direction of error: it may report a name that nothing refers to (a local
//! variable called `read`), which costs the time to look at a model, never the other way round.

use rustc_hash::FxHashSet;

/// What complex numbers are declared with.
const COMPLEX: [&str; 3] = ["_Complex", "__complex__", "__complex"];
/// What gcc calls for operators between them.
const COMPLEX_ARITHMETIC: [&str; 6] =
    ["__mulsc3", "__divsc3", "__muldc3", "__divdc3", "__mulxc3", "__divxc3"];

/// The names that a text mentions.
pub(crate) fn mentioned(text: &str) -> FxHashSet<&str> {
    let mut scan =
        Scan { text, at: 0, depth: 0, in_initialiser: false, declared: None, names: FxHashSet::default() };
    let labels = scan.run();
    let mut names = scan.names;
    for (declared, label) in labels {
        if names.contains(declared) {
            names.insert(label);
        }
    }
    if COMPLEX.iter().any(|word| names.contains(word)) {
        names.extend(COMPLEX_ARITHMETIC);
    }
    let plain: Vec<&str> = names.iter().filter_map(|name| without_builtin(name)).collect();
    names.extend(plain);
    names
}

/// `X` for `__builtin_X` and `__builtin___X_chk`.
fn without_builtin(name: &str) -> Option<&str> {
    let short = name.strip_prefix("__builtin_")?;
    Some(short.strip_prefix("__").and_then(|s| s.strip_suffix("_chk")).unwrap_or(short))
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// How many braces are open.
    depth: u32,
    /// True if an `=` at file scope was seen since the last `;`.
    in_initialiser: bool,
    /// The name before the first parenthesis of a declaration at file scope.
    declared: Option<&'a str>,
    names: FxHashSet<&'a str>,
}

impl<'a> Scan<'a> {
    /// Scans all of it; gives declared names with their `asm` labels.
    fn run(&mut self) -> Vec<(&'a str, &'a str)> {
        let bytes = self.text.as_bytes();
        let mut labels = Vec::new();
        let (mut last_word, mut in_label, mut at_line_start) = ("", false, true);
        while let Some(&byte) = bytes.get(self.at) {
            let begins_line = std::mem::replace(&mut at_line_start, byte == b'\n');
            match byte {
                b'#' if begins_line || self.at == 0 => self.skip_line(),
                b'/' if matches!(bytes.get(self.at + 1), Some(b'/')) => self.skip_line(),
                b'/' if matches!(bytes.get(self.at + 1), Some(b'*')) => self.skip_comment(),
                b'"' | b'\'' => {
                    let content = self.quoted(byte);
                    if let (true, Some(declared), true) = (in_label, self.declared, !content.is_empty()) {
                        labels.push((declared, content));
                        in_label = false;
                    }
                }
                b if b.is_ascii_alphabetic() || b == b'_' => {
                    last_word = self.word();
                    in_label |= self.depth == 0 && matches!(last_word, "asm" | "__asm__" | "__asm");
                }
                b if b.is_ascii_digit() => {
                    _ = self.span(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
                }
                _ => {
                    self.punctuation(byte, last_word);
                    in_label &= byte != b';';
                    self.at += 1;
                }
            }
        }
        labels
    }

    fn punctuation(&mut self, byte: u8, last_word: &'a str) {
        match byte {
            b'{' => self.depth += 1,
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && !self.in_initialiser {
                    self.declared = None;
                }
            }
            b';' if self.depth == 0 => (self.in_initialiser, self.declared) = (false, None),
            b'=' if self.depth == 0 => self.in_initialiser = true,
            b'(' if self.depth == 0 && self.declared.is_none() && !last_word.is_empty() => {
                self.declared = Some(last_word)
            }
            _ => {}
        }
    }

    fn word(&mut self) -> &'a str {
        let word = self.span(|b| b.is_ascii_alphanumeric() || b == b'_');
        if self.depth > 0 || self.in_initialiser || COMPLEX.contains(&word) {
            self.names.insert(word);
        }
        word
    }

    /// The bytes from here that satisfy a condition.
    fn span(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let (start, text) = (self.at, self.text);
        let len = text.as_bytes()[start..].iter().position(|b| !belongs(*b)).unwrap_or(text.len() - start);
        self.at += len;
        &text[start..start + len]
    }

    /// What stands between quotes.
    fn quoted(&mut self, quote: u8) -> &'a str {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' => break,
                _ if byte == quote => break,
                _ => {}
            }
            end += 1;
        }
        self.at = (end + 1).min(bytes.len());
        self.text.get(start..end.min(bytes.len())).unwrap_or_default()
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let inside = self.at + 2;
        self.at = self.text[inside..].find("*/").map_or(self.text.len(), |len| inside + len + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found: Vec<&str> = mentioned(text).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_in_bodies_and_initialisers() {
        check("extern int puts(const char *s);\nint f(void) { puts(\"free\"); }", &["puts"]);
        check("void *(*p)(unsigned long) = malloc; int x;", &["malloc"]);
        check("struct s { int a; }; static struct s t = { .a = 1 }; /* { read } */ // { x }", &["a", "int"]);
        check("# 1 \"x { y\"\nint f(void) { return 0x1f + 'a' + \"\\\"b\"[0]; }", &["return"]);
    }

    #[test]
    fn complex_numbers_need_their_arithmetic() {
        let found = mentioned("typedef double _Complex number; number f(number x) { return x * x; }");
        assert!(COMPLEX_ARITHMETIC.iter().all(|name| found.contains(name)));
    }

    #[test]
    fn builtins_and_labels() {
        check(
            "int f(void) { __builtin_memset(0); __builtin___strcpy_chk(0); }",
            &["__builtin___strcpy_chk", "__builtin_memset", "memset", "strcpy"],
        );
        check(
            "extern int scan(int) __asm__ (\"\" \"__isoc99_scan\"); int f(void) { scan(1); }",
            &["__isoc99_scan", "scan"],
        );
        check("extern int scan(int) __asm__ (\"__isoc99_scan\"); int f(void) { }", &[]);
    }
}
