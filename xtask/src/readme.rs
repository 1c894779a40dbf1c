//! The examples of README.md and of docs do what they say.
//!
//! Any fenced block with a line `$ threadproof …` is an example: below each such line is exactly what the command prints on standard
//! output, with a line `…` for lines that are left out; times may differ. A block that shows a verdict without a command is an error, since
//! nothing could check it. Each command is run with the release build, in the workspace's folder. The line of README.md that begins
//! with `cargo run`, the newcomer's first, is run as it stands and must end in a verdict. Of other commands (`threadproof …` in `sh`
//! blocks) the options must exist.
//!
//! `cargo xtask readme --update` writes what is printed into the files, except where lines are left out.

use crate::workspace::binary;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands for lines that are left out.
const ELISION: &str = "…";

/// Runs every example and compares.
pub fn check(root: &Path) -> Result<(), String> {
    let mut n_examples = 0;
    for (name, path) in documents(root)? {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        let found = examples(&text).map_err(|e| format!("{name}: {e}"))?;
        for example in &found {
            let printed = run(root, &example.command)?;
            if !matches(&lines(&example.output), &lines(&printed)) {
                let Example { command, output } = example;
                return Err(format!("{name}: `{command}` should print\n{output}\nbut prints\n{printed}"));
            }
        }
        n_examples += found.len();
        options_exist(root, &text).map_err(|e| format!("{name}: {e}"))?;
        if name == "README.md" {
            first_command(root, &text)?;
        }
    }
    if n_examples == 0 { Err("there are no examples".to_owned()) } else { Ok(()) }
}

/// Runs every example and writes down what it prints.
pub fn update(root: &Path) -> Result<(), String> {
    for (name, path) in documents(root)? {
        let mut text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        for Example { command, output } in examples(&text).map_err(|e| format!("{name}: {e}"))? {
            if output.lines().any(|line| line == ELISION) {
                continue;
            }
            let printed = lines(&run(root, &command)?).join("\n") + "\n";
            text = text.replace(&format!("$ {command}\n{output}"), &format!("$ {command}\n{printed}"));
        }
        std::fs::write(&path, text).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// README.md and the Markdown files of docs, with their names.
fn documents(root: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let docs = testkit::corpus::files_below(&root.join("docs"), &["md"]);
    let all = [vec![root.join("README.md")], docs].concat();
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    Ok(all.into_iter().map(|path| (name(&path), path)).collect())
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

/// The options of commands that are only named are in the help of their subcommand.
fn options_exist(root: &Path, text: &str) -> Result<(), String> {
    for line in text.lines().filter_map(|line| line.strip_prefix("threadproof ")) {
        let command = line.split('#').next().unwrap_or_default();
        let mut words = command.split_whitespace();
        let subcommand = words.next().unwrap_or_default();
        let help = run(root, &format!("threadproof {subcommand} --help"))?;
        let known: Vec<&str> = help.split(|c: char| c.is_whitespace() || "=,[]<>`".contains(c)).collect();
        let mut options = words.map(|word| word.split('=').next().unwrap_or(word));
        if let Some(unknown) = options.find(|word| word.starts_with("--") && !known.contains(word)) {
            return Err(format!("`threadproof {subcommand}` has no option {unknown}"));
        }
    }
    Ok(())
}

fn run(root: &Path, command: &str) -> Result<String, String> {
    let mut words = command.split_whitespace();
    if words.next() != Some("threadproof") {
        return Err(format!("`{command}` should start with `threadproof`"));
    }
    let output = Command::new(binary())
        .args(words)
        .env("COLUMNS", "100")
        .current_dir(root)
        .output()
        .map_err(|e| format!("`{command}` could not run: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Lines without white space at their ends, which our own house rules keep out of Markdown.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Returns true if the lines are the same, where [`ELISION`] stands for any number of them.
fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match (expected, printed) {
        ([], []) => true,
        ([ELISION, rest @ ..], _) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        ([line, expected @ ..], [first, printed @ ..]) => {
            timeless(line) == timeless(first) && matches(expected, printed)
        }
        _ => false,
    }
}

/// A line without its time, if it has one, as in `no-deadlock  0.1 s  true`.
fn timeless(line: &str) -> String {
    match line.split_once(" s  ") {
        Some((before, after)) => {
            format!(
                "{} {after}",
                before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ')
            )
        }
        None => line.to_owned(),
    }
}

/// A command and what it should print.
#[derive(PartialEq, Eq, Debug)]
struct Example {
    command: String,
    output: String,
}

/// The examples of all fenced blocks.
fn examples(text: &str) -> Result<Vec<Example>, String> {
    let mut found: Vec<Example> = Vec::new();
    let (mut inside, mut has_command) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            (inside, has_command) = (!inside, false);
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            has_command = true;
            found.push(Example { command: command.to_owned(), output: String::new() });
        } else if has_command && let Some(example) = found.last_mut() {
            example.output.push_str(line);
            example.output.push('\n');
        } else if inside && line.starts_with("verdict: ") {
            return Err(format!("a block shows `{line}`, but not the command (`$ threadproof …`)"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found() {
        let text = "a\n```console\n$ threadproof x\nout\n\nmore\n```\n```sh\nno\n```\n";
        let example = Example { command: "threadproof x".to_owned(), output: "out\n\nmore\n".to_owned() };
        assert_eq!(examples(text), Ok(vec![example]));
        assert!(examples("```\nverdict: true\n```\n").is_err());
    }

    #[test]
    fn times_may_differ() {
        assert!(matches(&["no-deadlock     0.1 s  true"], &["no-deadlock    12.3 s  true"]));
        assert!(!matches(&["no-deadlock     0.1 s  true"], &["no-deadlock     0.1 s  unknown(timeout)"]));
    }

    #[test]
    fn lines_may_be_left_out() {
        let check = |expected: &str, printed: &str| matches(&lines(expected), &lines(printed));
        assert!(
            check("a\nb", "a\nb") && !check("a\nb", "a\nc") && !check("a", "a\nb") && !check("a\nb", "a")
        );
        assert!(check("…\nb\n…\nd", "a\nb\nc\nd") && check("a\n…\nb", "a\nb") && check("…", ""));
        assert!(!check("…\nb\n…\nd", "a\nc\nd") && !check("…\na", "a\nb"));
    }
}
