//! House rules that no other tool knows.

use std::path::Path;
use std::process::Command;

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
        }
    }
    if flaws.is_empty() { Ok(()) } else { Err(format!("\n  {}", flaws.join("\n  "))) }
}

fn flaws_of(name: &str, text: &str) -> Vec<String> {
    let mut flaws = Vec::new();
    let is_rust = name.ends_with(".rs");
    if is_rust && !name.contains("/tests/") && !text.starts_with("//!") {
        flaws.push(format!("{name}: a module starts with a doc comment that teaches it"));
    }
    // Spelled in pieces, so that this file does not complain about itself.
    let unfinished =
        [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME"), concat!("XX", "X")];
    let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    for (number, line) in text.lines().enumerate() {
        let mut complain = |what: &str| flaws.push(format!("{name}:{}: {what}", number + 1));
        if is_rust && unfinished.iter().any(|word| line.contains(word)) {
            complain("unfinished");
        }
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
    }
}
