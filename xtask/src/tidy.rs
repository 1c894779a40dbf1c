//! House rules that no other tool knows.
//!
//! | where | rule |
//! |---|---|
//! | everywhere | no path of a machine, no white space at the end of a line, a newline at the end of the file |
//! | Rust | a module starts with a doc comment; nothing is unfinished; no raw pointers; at most [`MOST_LINES`] lines in a file |
//! | Rust, tests aside | at most [`MOST_FUNCTION_LINES`] lines in a function |
//! | Markdown | links to files and headings lead there, the guide lists its chapters ([`links`]) |
//! | `tests/programs` | annotations can be read, and the name says the first verdict |

use crate::links;
use std::path::Path;
use std::process::Command;
use testkit::corpus::Annotated;

/// The most lines of a Rust file.
const MOST_LINES: usize = 600;
/// The most lines of a function, from `fn` to its closing brace.
const MOST_FUNCTION_LINES: usize = 60;

/// Checks every file that git tracks or would track.
pub fn check(root: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("git could not list the files: {e}"))?;
    let mut flaws = Vec::new();
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        // A file that is not text has no lines to complain about.
        if let Ok(text) = std::fs::read_to_string(root.join(name)) {
            flaws.extend(flaws_of(name, &text));
            if name.ends_with(".md") {
                flaws.extend(links::flaws_of(root, name, &text));
            }
        }
        if name.starts_with("tests/programs/") && name.ends_with(".c") && root.join(name).exists() {
            flaws.extend(flaw_of_program(&root.join(name)));
        }
    }
    if flaws.is_empty() { Ok(()) } else { Err(format!("\n  {}", flaws.join("\n  "))) }
}

fn flaw_of_program(path: &Path) -> Option<String> {
    match Annotated::read(path) {
        Ok(program) => Some(format!("{} should be called {}", program.name, program.better_name()?)),
        Err(why) => Some(why),
    }
}

fn flaws_of(name: &str, text: &str) -> Vec<String> {
    let mut flaws = if name.ends_with(".rs") { flaws_of_rust(name, text) } else { Vec::new() };
    let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    for (number, line) in text.lines().enumerate() {
        let mut complain = |what: &str| flaws.push(format!("{name}:{}: {what}", number + 1));
        if machine.iter().any(|path| line.contains(path)) {
            complain("a path of some machine");
        }
        if line.ends_with([' ', '\t']) && !name.ends_with(".stdout") {
            complain("white space at the end of the line");
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        flaws.push(format!("{name}: no newline at the end"));
    }
    flaws
}

fn flaws_of_rust(name: &str, text: &str) -> Vec<String> {
    let mut flaws = Vec::new();
    let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
    if !name.contains("/tests/") && !text.starts_with("//!") {
        flaws.push(format!("{name}: a module starts with a doc comment that teaches it"));
    }
    let n_lines = text.lines().count();
    if n_lines > MOST_LINES {
        flaws.push(format!("{name}: {n_lines} lines, more than {MOST_LINES}"));
    }
    // Spelled in pieces, so that this file does not complain about itself.
    let unfinished =
        [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME"), concat!("XX", "X")];
    let raw_pointers = [
        concat!("<*con", "st "),
        concat!("(*con", "st "),
        concat!(": *con", "st "),
        concat!("as *con", "st "),
    ];
    for (number, line) in text.lines().enumerate() {
        let mut complain = |what: &str| flaws.push(format!("{name}:{}: {what}", number + 1));
        if unfinished.iter().any(|word| line.contains(word)) {
            complain("unfinished");
        }
        if raw_pointers.iter().any(|pointer| line.contains(pointer)) {
            complain("a raw pointer: things have typed ids");
        }
    }
    let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    for (number, function, length) in functions(if is_test { "" } else { product }) {
        if length > MOST_FUNCTION_LINES {
            flaws.push(format!(
                "{name}:{number}: {function} has {length} lines, more than {MOST_FUNCTION_LINES}"
            ));
        }
    }
    flaws
}

/// The functions of a text as rustfmt lays it out: the line, the name, how many lines. A function ends at the first closing brace that
/// is as far to the left as it is; in a string over several lines that may be too early, but never too late.
fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        if line.ends_with(['}', ';']) {
            continue;
        }
        let level = |line: &&str| !line.trim().is_empty() && indent(line) <= indent(lines[at]);
        let ends = |line: &&str| level(line) && (line.trim_start().starts_with('}') || line.ends_with(';'));
        let length = lines[at..].iter().skip(1).position(ends).map_or(0, |n| n + 2);
        found.push((at + 1, name, length));
    }
    found
}

/// The name of the function that begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    while let Some(after) =
        ["pub(crate) ", "pub(super) ", "pub ", "const "].iter().find_map(|w| rest.strip_prefix(w))
    {
        rest = after;
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_fire() {
        assert!(flaws_of("src/a.rs", "//! Teaches.\nfn f() {}\n").is_empty());
        assert_eq!(flaws_of("src/a.rs", "fn f() {}\n").len(), 1);
        assert_eq!(flaws_of("docs/a.md", "x \n").len(), 1);
        assert_eq!(flaws_of("docs/a.md", "x").len(), 1);
        assert_eq!(flaws_of("a.c", concat!("see /ho", "me/me/x\n")).len(), 1);
        assert_eq!(flaws_of("src/a.rs", concat!("//! T.\nfn f() { to", "do!() }\n")).len(), 1);
        assert_eq!(flaws_of("src/a.rs", concat!("//! T.\ntype P = Vec<*con", "st u8>;\n")).len(), 1);
    }

    #[test]
    fn long_files_and_functions_are_found() {
        let body = "    x();\n".repeat(59);
        let long = format!("//! T.\nfn f() {{\n{body}}}\n");
        assert_eq!(flaws_of("src/a.rs", &long).len(), 1);
        assert!(flaws_of("src/tests/a.rs", &long).is_empty());
        assert!(flaws_of("src/a.rs", &format!("//! T.\n#[cfg(test)]\nmod tests {{\n{long}}}\n")).is_empty());
        let short = "    pub const fn f(\n        x: u8,\n    ) -> u8 {\n        x\n    }\n\n    fn g();\n";
        assert_eq!(functions(short), [(1, "f", 5)]);
        assert_eq!(flaws_of("src/a.rs", &format!("//! T.\n{}", "// x\n".repeat(600))).len(), 1);
    }
}
