//! The README's examples do what it says they do.
//!
//! A fenced block marked `console` holds commands (`$ threadproof …`) and, below each, exactly what it prints on
//! standard output. Each command is run with the release build, in the workspace's folder. The line that begins with `cargo run`, the newcomer's
//! first, is run as it stands and must end in a verdict.

use std::path::Path;
use std::process::Command;

/// Runs every example of README.md.
pub fn check(root: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(root.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let examples = examples(&text);
    if examples.is_empty() {
        return Err("README.md shows no example".to_owned());
    }
    first_command(root, &text)?;
    for (command, expected) in &examples {
        let printed = run(root, command)?;
        if lines(&printed) != lines(expected) {
            return Err(format!("`{command}` should print\n{expected}\nbut prints\n{printed}"));
        }
    }
    Ok(())
}

/// Runs the newcomer's first command.
fn first_command(root: &Path, text: &str) -> Result<(), String> {
    let command = text.lines().find(|line| line.starts_with("cargo run "));
    let command = command.ok_or("README.md should say how to begin: `cargo run …`")?;
    let output = Command::new("cargo").args(command.split_whitespace().skip(1)).current_dir(root).output();
    let output = output.map_err(|e| format!("`{command}` could not run: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match printed.lines().last() {
        Some(last) if last.starts_with("verdict: ") => Ok(()),
        _ => Err(format!("`{command}` gives no verdict: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn run(root: &Path, command: &str) -> Result<String, String> {
    let mut words = command.split_whitespace();
    if words.next() != Some("threadproof") {
        return Err(format!("`{command}` should start with `threadproof`"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let output = Command::new(target.join("release").join("threadproof"))
        .args(words)
        .env("COLUMNS", "100")
        .current_dir(root)
        .output()
        .map_err(|e| format!("`{command}` could not run: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Lines without white space at their ends, which our own house rules keep out of the README.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Commands of `console` blocks with what they should print.
fn examples(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            found.push((command.to_owned(), String::new()));
        } else if inside && let Some((_, output)) = found.last_mut() {
            output.push_str(line);
            output.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found() {
        let text = "a\n```console\n$ threadproof x\nout\n\nmore\n```\n```sh\n$ no\n```\n";
        assert_eq!(examples(text), [("threadproof x".to_owned(), "out\n\nmore\n".to_owned())]);
    }
}
