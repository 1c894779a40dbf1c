//! Compilation databases (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>) and lists of units.

use super::flags::{self, Flags, from_here};
use report::{Diagnostic, Level};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A translation unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    /// Its file, as it is seen from here.
    pub(super) file: PathBuf,
    /// Its flags.
    pub(super) flags: Flags,
    /// What the build system calls the program or library that it is part of.
    pub(super) target: Option<String>,
}

impl Unit {
    pub(super) fn without_flags(file: PathBuf) -> Self {
        Self { file, flags: Flags::default(), target: None }
    }
}

/// An entry of a database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
    output: Option<String>,
}

type Read = Result<(Vec<Unit>, Vec<Diagnostic>), Diagnostic>;

/// The units of a database, which is a file or in a folder, and warnings about those that are no C.
pub(super) fn read_database(path: &Path) -> Read {
    let file = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let name = file.display().to_string();
    let fail = |message: String| Diagnostic::about_file(Level::Error, &name, message);
    let text = std::fs::read_to_string(&file).map_err(|error| Diagnostic {
        help: Some("CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, other build systems with `bear -- make`".to_owned()),
        ..fail(format!("cannot read the compilation database `{name}`: {error}"))
    })?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|error| fail(format!("`{name}` is no compilation database: {error}")))?;
    let above = file.parent().unwrap_or(Path::new("")).to_owned();
    let (mut units, mut no_c) = (Vec::new(), Vec::new());
    for entry in entries {
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => flags::words(&command),
            (None, None) => {
                return Err(fail(format!("`{}` has no command in `{name}`", entry.file.display())));
            }
        };
        let directory = above.join(entry.directory);
        let source = from_here(&directory.join(&entry.file));
        if !is_c(&source) {
            no_c.push(source.display().to_string());
            continue;
        }
        let flags = flags::of_command(words.get(1..).unwrap_or_default(), &directory)
            .map_err(|why| Diagnostic::about_file(Level::Error, &source.display().to_string(), why))?;
        let output = entry.output.or_else(|| output_of(&words));
        units.push(Unit { file: source, flags, target: output.as_deref().and_then(target_of) });
    }
    if units.is_empty() {
        return Err(fail(format!("there is no C in `{name}`")));
    }
    let left_out = (!no_c.is_empty()).then(|| {
        let message = format!("what is not C is left out: {}", no_c.join(", "));
        Diagnostic::about_file(Level::Warning, &name, message)
    });
    Ok((units, left_out.into_iter().collect()))
}

/// The units of a list: a file in each line, followed by its flags; `#` begins a comment.
pub(super) fn read_list(path: &Path) -> Read {
    let name = path.display().to_string();
    let fail = |message: String| Diagnostic::about_file(Level::Error, &name, message);
    let text = std::fs::read_to_string(path)
        .map_err(|error| fail(format!("cannot read the list `{name}`: {error}")))?;
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut units = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let words = flags::words(line);
        let Some((file, rest)) = words.split_first() else { continue };
        let flags = flags::of_command(rest, &directory).map_err(|why| fail(format!("`{file}`: {why}")))?;
        units.push(Unit { file: from_here(&directory.join(file)), flags, target: None });
    }
    if units.is_empty() {
        Err(fail(format!("there is no file in `{name}`")))
    } else {
        Ok((units, Vec::new()))
    }
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

fn output_of(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "-o")?;
    words.get(at + 1).cloned()
}

/// `server` of `CMakeFiles/server.dir/main.c.o` (CMake) and of `server.p/main.c.o` (Meson).
fn target_of(output: &str) -> Option<String> {
    let folders = output.rsplit('/').skip(1);
    folders.into_iter().find_map(|folder| {
        let name = folder.strip_suffix(".dir").or_else(|| folder.strip_suffix(".p"))?;
        (!name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_in_names_of_object_files() {
        assert_eq!(target_of("CMakeFiles/server.dir/src/main.c.o").as_deref(), Some("server"));
        assert_eq!(target_of("server.p/main.c.o").as_deref(), Some("server"));
        assert_eq!(target_of("obj/main.o"), None);
    }
}
