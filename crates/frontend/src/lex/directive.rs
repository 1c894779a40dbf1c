//! Lines that begin with `#`: what preprocessors leave in their output.
//!
//! Line markers, `#pragma pack` and `#pragma weak` mean something to us. Pragmas that are known to be harmless, and `#ident`, are
//! ignored; an unknown pragma, which compilers ignore, gets a warning. Anything else is a sign that the text was never
//! preprocessed.

use std::borrow::Cow;

/// What a directive says.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Directive<'a> {
    /// `# 12 "f.c" 1 3` or `#line 12 "f.c"`: the next line's presumed number and file.
    Line(u32, Option<Cow<'a, str>>),
    /// `#pragma pack(…)`
    Pack(Pack),
    /// `#pragma weak name` or `#pragma weak name = target`
    Weak(&'a str, Option<&'a str>),
    /// It means nothing to us.
    Ignored,
    /// A pragma that compilers ignore as well, by its first word.
    UnknownPragma(&'a str),
    /// A pragma that changes the meaning of the program, by its first word.
    UnsupportedPragma(&'a str),
    /// `#define` and `#undef`, which some preprocessors repeat in their output after having obeyed them.
    Definition(&'a str),
    /// Any other one, by name.
    Unexpected(&'a str),
}

/// What a `#pragma pack` asks for; no number is the platform's own alignment.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Pack {
    /// `pack(n)` or `pack()`
    Set(Option<u32>),
    /// `pack(push)` (which changes nothing now) or `pack(push, n)`
    Push(Option<u32>),
    /// `pack(pop)` or `pack(pop, n)`
    Pop(Option<u32>),
}

impl<'a> Directive<'a> {
    /// Reads what follows the `#`.
    pub(super) fn parse(body: &'a str) -> Self {
        let body = body.trim();
        if body.starts_with(|first: char| first.is_ascii_digit()) {
            return parse_line(body);
        }
        let name_len = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
        let (name, rest) = body.split_at(name_len);
        match name {
            "line" => parse_line(rest.trim_start()),
            "pragma" => parse_pragma(rest),
            "" | "ident" | "sccs" | "warning" => Directive::Ignored,
            "define" | "undef" => Directive::Definition(name),
            _ => Directive::Unexpected(name),
        }
    }
}

fn parse_line(body: &str) -> Directive<'_> {
    let digits = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let Ok(line) = body[..digits].parse() else { return Directive::Unexpected("line") };
    let file = body[digits..].trim_start().strip_prefix('"').map(unescape_file_name);
    Directive::Line(line, file)
}

/// The file name up to its closing quote, with `\\` and `\"` undone.
fn unescape_file_name(quoted: &str) -> Cow<'_, str> {
    let plain = quoted.find(['"', '\\']).unwrap_or(quoted.len());
    if !quoted[plain..].starts_with('\\') {
        return Cow::Borrowed(&quoted[..plain]);
    }
    let mut name = String::new();
    let mut rest = quoted.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => name.extend(rest.next()),
            _ => name.push(c),
        }
    }
    Cow::Owned(name)
}

/// Pragmas that change nothing a verdict speaks of: diagnostics, optimisation, sections, macros (obeyed by the preprocessor),
/// and OpenMP and OpenACC, which are comments unless asked for on the compiler's command line.
const HARMLESS: &[&str] = &[
    "GCC",
    "STDC",
    "acc",
    "clang",
    "comment",
    "endregion",
    "ident",
    "inline",
    "ivdep",
    "loop",
    "long_calls",
    "mark",
    "message",
    "no_inline",
    "nounroll",
    "omp",
    "once",
    "optimize",
    "pop_macro",
    "push_macro",
    "region",
    "unroll",
    "vector",
    "warning",
];

fn parse_pragma(rest: &str) -> Directive<'_> {
    let rest = rest.trim();
    let name_len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, args) = rest.split_at(name_len);
    match name {
        "pack" => parse_pack(args.trim_start()),
        "weak" => {
            let (name, target) = match args.split_once('=') {
                Some((name, target)) => (name, Some(target.trim())),
                None => (args, None),
            };
            Directive::Weak(name.trim(), target)
        }
        "scalar_storage_order" | "redefine_extname" | "ms_struct" | "extern_prefix" | "STDC"
            if changes(name, args) =>
        {
            Directive::UnsupportedPragma(name)
        }
        _ if name.is_empty() || HARMLESS.contains(&name) => Directive::Ignored,
        "scalar_storage_order" | "ms_struct" => Directive::Ignored,
        _ => Directive::UnknownPragma(name),
    }
}

/// Returns true if a pragma, given these arguments, asks for another meaning than the usual one.
fn changes(name: &str, args: &str) -> bool {
    let mut words = args.split_whitespace();
    match name {
        "scalar_storage_order" => !matches!(words.next(), Some("default" | "little-endian")),
        "ms_struct" => words.next() == Some("on"),
        "STDC" => words.next() == Some("FENV_ROUND") && words.next() != Some("FE_TONEAREST"),
        _ => true,
    }
}

fn parse_pack(args: &str) -> Directive<'_> {
    let Some(args) = args.strip_prefix('(').and_then(|args| args.split(')').next()) else {
        return Directive::UnsupportedPragma("pack");
    };
    let number = |text: &str| text.trim().parse().ok().filter(|&n: &u32| n != 0);
    let (first, last) = match args.split_once(',') {
        Some((first, more)) => (first.trim(), more.rsplit(',').next().and_then(number)),
        None => (args.trim(), None),
    };
    Directive::Pack(match first {
        "push" => Pack::Push(last),
        "pop" => Pack::Pop(last),
        n => Pack::Set(number(n)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives() {
        let line = |n, file: &'static str| Directive::Line(n, Some(Cow::Borrowed(file)));
        let cases = [
            (" 12 \"f.c\" 1 3", line(12, "f.c")),
            ("line 7 \"a b.c\"", line(7, "a b.c")),
            ("line 7", Directive::Line(7, None)),
            (r#" 1 "C:\\x\".c""#, line(1, "C:\\x\".c")),
            (" 99999999999", Directive::Unexpected("line")),
            ("pragma pack(push, 1)", Directive::Pack(Pack::Push(Some(1)))),
            ("pragma pack ( push,name , 4 )", Directive::Pack(Pack::Push(Some(4)))),
            ("pragma pack(push)", Directive::Pack(Pack::Push(None))),
            ("pragma pack(pop)", Directive::Pack(Pack::Pop(None))),
            ("pragma pack(2)", Directive::Pack(Pack::Set(Some(2)))),
            ("pragma pack()", Directive::Pack(Pack::Set(None))),
            ("pragma GCC diagnostic push", Directive::Ignored),
            ("pragma weak f", Directive::Weak("f", None)),
            ("pragma weak f = g", Directive::Weak("f", Some("g"))),
            ("pragma omp parallel for", Directive::Ignored),
            ("pragma scalar_storage_order big-endian", Directive::UnsupportedPragma("scalar_storage_order")),
            ("pragma scalar_storage_order default", Directive::Ignored),
            ("pragma frobnicate(on)", Directive::UnknownPragma("frobnicate")),
            ("ident \"x\"", Directive::Ignored),
            ("", Directive::Ignored),
            ("define X 1", Directive::Definition("define")),
            ("include <x.h>", Directive::Unexpected("include")),
        ];
        for (body, expected) in cases {
            assert_eq!(Directive::parse(body), expected, "#{body}");
        }
    }
}
