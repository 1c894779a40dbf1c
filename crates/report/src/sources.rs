//! The text of source lines, for showing executions.
//!
//! A preprocessed file names the lines it was made from (`# 12 "prog.c"`), and those files are often not there any
//! more. So the text of a line is looked for first in the files that were read, by their line markers, and then
//! in a file of the name that a position has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Line markers may have any number; a file with more lines is not put together again.
const MOST_LINES: u32 = 1_000_000;

/// Finds the text of lines; reads files only when they are needed.
pub struct Sources {
    inputs: Vec<PathBuf>,
    /// The lines of the inputs by presumed position; `None` before the first look-up.
    presumed: Option<HashMap<(String, u32), String>>,
    /// Files by name.
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    /// For a program made of `inputs`.
    pub fn new(inputs: &[PathBuf]) -> Self {
        Self { inputs: inputs.to_vec(), presumed: None, files: HashMap::new() }
    }

    /// The text of a line, without surrounding space; empty if it is not to be found.
    pub fn line(&mut self, file: &str, line: u32) -> String {
        if let Some(text) = self.presumed().get(&(file.to_owned(), line)) {
            return text.clone();
        }
        let read_lines = || read(Path::new(file)).lines().map(|l| l.trim().to_owned()).collect();
        let lines = self.files.entry(file.to_owned()).or_insert_with(read_lines);
        (line as usize).checked_sub(1).and_then(|n| lines.get(n)).cloned().unwrap_or_default()
    }

    /// The text of a whole file; if it is not there any more, those of its lines that are known.
    pub fn file(&mut self, file: &str) -> String {
        let text = read(Path::new(file));
        if !text.is_empty() {
            return text;
        }
        let is_meant = |(name, line): &(String, u32)| name == file && *line <= MOST_LINES;
        let known = self.presumed().iter().filter(|(place, _)| is_meant(place));
        let mut known: Vec<(u32, &String)> = known.map(|((_, line), text)| (*line, text)).collect();
        known.sort_unstable();
        let mut lines: Vec<&str> = Vec::new();
        for (line, text) in known {
            let n = (line as usize).saturating_sub(1);
            lines.resize(n.max(lines.len()), "");
            lines.push(text);
        }
        lines.join("\n")
    }

    fn presumed(&mut self) -> &HashMap<(String, u32), String> {
        let inputs = &self.inputs;
        self.presumed.get_or_insert_with(|| {
            let mut lines = HashMap::new();
            for path in inputs {
                presume(&path.to_string_lossy(), &read(path), &mut lines);
            }
            lines
        })
    }
}

/// A file that cannot be read has no text: lanes without source lines are still worth showing.
fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn presume(name: &str, text: &str, lines: &mut HashMap<(String, u32), String>) {
    let (mut file, mut line) = (name.to_owned(), 1);
    for physical in text.lines() {
        if let Some((marked_file, marked_line)) = line_marker(physical) {
            file = marked_file.map_or(file, str::to_owned);
            line = marked_line;
            continue;
        }
        let text = physical.trim();
        if !text.is_empty() {
            // A statement that expands to several lines of one number: the first line tells most.
            lines.entry((file.clone(), line)).or_insert_with(|| text.to_owned());
        }
        line += 1;
    }
}

/// `# 12 "prog.c" 3 4` or `#line 12 "prog.c"`.
fn line_marker(text: &str) -> Option<(Option<&str>, u32)> {
    let rest = text.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"').and_then(|r| r.split('"').next());
    Some((name, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        assert_eq!(line_marker("# 12 \"a.c\" 3 4"), Some((Some("a.c"), 12)));
        assert_eq!(line_marker("#line 7"), Some((None, 7)));
        assert_eq!(line_marker("#include <a.h>"), None);
        assert_eq!(line_marker("int x;"), None);
    }

    #[test]
    fn lines_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.i");
        std::fs::write(&path, "int first;\n# 40 \"gone.c\"\n  x = 1;\n\n  y = 2;\n").unwrap();
        let mut sources = Sources::new(std::slice::from_ref(&path));
        assert_eq!(sources.line("gone.c", 40), "x = 1;");
        assert_eq!(sources.line("gone.c", 42), "y = 2;");
        assert_eq!(sources.line("gone.c", 43), "");
        assert_eq!(sources.file("gone.c"), format!("{}x = 1;\n\ny = 2;", "\n".repeat(39)));
        assert_eq!(sources.line(&path.to_string_lossy(), 1), "int first;");
    }
}
