//! The annotated C programs of the repository: `tests/programs` and `examples`.
//!
//! A program says in comments of its own what is true of it (`tests/programs/README.md` has the details):
//!
//! ```c
//! // expect: unreach-call true       the property and whether it holds
//! // expect(tso,pso): unreach-call false   the same under weak memory models
//! // explore: unknown                this engine is not expected to find an answer
//! // data-model: ILP32               how to read it
//! // options: --malloc-may-fail      further options of the command line
//! // native: yes                     compiled and run, it ends well if and only if `unreach-call` holds
//! ```
//!
//! An expectation is about soundness: the opposite answer is always a bug. `ENGINE: unknown` is about precision: only there is
//! no answer good enough.
//!
//! The first expectation is what the program is about. If it is `false`, the file's name ends in `_broken`; otherwise it does not.

use std::path::{Path, PathBuf};

/// A C program with its annotations.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// Where it is.
    pub path: PathBuf,
    /// Its path below `tests/programs`, or below the repository's root: how tests name it.
    pub name: String,
    /// Properties, and whether they hold. The first is what the program is about.
    pub expectations: Vec<(String, bool)>,
    /// The same under weak memory models: the model, a property, and whether it holds.
    pub weak: Vec<(String, String, bool)>,
    /// The engines that are not expected to find an answer.
    pub unknown_to: Vec<String>,
    /// `ILP32` or `LP64`, if the program depends on it.
    pub data_model: Option<String>,
    /// Further options of the command line.
    pub options: Vec<String>,
    /// True if it is a sequential program without inputs, of which one run shows whether `unreach-call` holds.
    pub native: bool,
}

impl Annotated {
    /// Reads a program and its annotations; an error says what is wrong with them.
    pub fn read(path: &Path) -> Result<Annotated, String> {
        let root = root();
        let within = path.strip_prefix(root.join("tests/programs")).or_else(|_| path.strip_prefix(&root));
        let name = within.unwrap_or(path).display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        let mut found = Annotated {
            path: path.to_owned(),
            name,
            expectations: Vec::new(),
            weak: Vec::new(),
            unknown_to: Vec::new(),
            data_model: None,
            options: Vec::new(),
            native: false,
        };
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("// ")) {
            found.annotate(line).map_err(|e| format!("{}: {e}", found.name))?;
        }
        if found.expectations.is_empty() {
            return Err(format!("{} should say what it expects", found.name));
        }
        Ok(found)
    }

    fn annotate(&mut self, line: &str) -> Result<(), String> {
        let Some((key, value)) = line.split_once(':') else { return Ok(()) };
        let words: Vec<&str> = value.split_whitespace().collect();
        let models = key.strip_prefix("expect(").and_then(|models| models.strip_suffix(')'));
        match (key, &words[..]) {
            (_, [property, answer]) if let Some(models) = models => {
                let answer = answer.parse().map_err(|_| format!("`{answer}` should be true or false"))?;
                let under = models.split(',').map(|model| (model.to_owned(), (*property).to_owned(), answer));
                self.weak.extend(under);
            }
            ("expect", [property, answer]) => {
                let answer = answer.parse().map_err(|_| format!("`{answer}` should be true or false"))?;
                self.expectations.push(((*property).to_owned(), answer));
            }
            ("expect", _) => return Err(format!("cannot read `{line}`")),
            ("options", options) => self.options.extend(options.iter().map(|o| (*o).to_owned())),
            ("data-model", [model]) => self.data_model = Some((*model).to_owned()),
            ("native", ["yes"]) => self.native = true,
            ("native", _) => return Err(format!("`{line}` should be `native: yes`")),
            (engine, ["unknown"]) => self.unknown_to.push(engine.to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Whether a property holds, if the program says so.
    pub fn expects(&self, property: &str) -> Option<bool> {
        self.expectations.iter().find(|(name, _)| name == property).map(|(_, holds)| *holds)
    }

    /// Returns true if `engine` is not expected to find an answer.
    pub fn is_unknown_to(&self, engine: &str) -> bool {
        self.unknown_to.iter().any(|name| name == engine)
    }

    /// What the file should be called, if it has another name: a program ends in `_broken` if and only if its first
    /// expectation is `false`, and no other suffix stands for a verdict.
    pub fn better_name(&self) -> Option<String> {
        let stem = self.path.file_stem()?.to_str()?;
        let bare =
            ["_broken", "_safe", "_wrong"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
        let (_, holds) = self.expectations.first()?;
        let wanted = if *holds { bare.to_owned() } else { format!("{bare}_broken") };
        (stem != wanted).then(|| format!("{wanted}.c"))
    }
}

/// The repository's folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate should be two folders below the root").to_owned()
}

/// A program of `tests/programs`, by its path below that folder.
pub fn path(name: &str) -> PathBuf {
    let path = root().join("tests/programs").join(name);
    assert!(path.is_file(), "{} should exist", path.display());
    path
}

/// All annotated programs, in the order of their paths.
///
/// # Panics
/// If an annotation cannot be read.
pub fn programs() -> Vec<Annotated> {
    let folders = [root().join("examples"), root().join("tests/programs")];
    let files = folders.iter().flat_map(|folder| files_below(folder, &["c"]));
    files.map(|file| Annotated::read(&file).unwrap_or_else(|why| panic!("{why}"))).collect()
}

/// All files below a folder, at any depth, with one of these extensions, in the order of their paths.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files_below(&path, extensions));
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(file: &str, annotations: &[&str]) -> Result<Annotated, String> {
        let mut program = Annotated {
            path: file.into(),
            name: file.to_owned(),
            expectations: Vec::new(),
            weak: Vec::new(),
            unknown_to: Vec::new(),
            data_model: None,
            options: Vec::new(),
            native: false,
        };
        annotations.iter().try_for_each(|line| program.annotate(line)).map(|()| program)
    }

    #[test]
    fn annotations_are_read() {
        let lines =
            ["Dekker: two threads.", "expect: no-deadlock true", "explore: unknown", "data-model: ILP32"];
        let found = program("dekker.c", &lines).expect("these should be read");
        assert_eq!((found.expects("no-deadlock"), found.expects("unreach-call")), (Some(true), None));
        assert!(found.is_unknown_to("explore") && !found.is_unknown_to("impact"));
        assert_eq!(found.data_model.as_deref(), Some("ILP32"));
        assert!(program("x.c", &["expect: no-deadlock maybe"]).is_err());
        assert!(program("x.c", &["expect: no-deadlock"]).is_err());
        assert!(!found.native && program("x.c", &["native: yes"]).is_ok_and(|found| found.native));
        assert!(program("x.c", &["native: sometimes"]).is_err());
    }

    #[test]
    fn names_say_the_first_verdict() {
        for (file, first, better) in [
            ("a/dekker.c", "true", None),
            ("dekker_broken.c", "false", None),
            ("dekker_safe.c", "true", Some("dekker.c")),
            ("dekker.c", "false", Some("dekker_broken.c")),
            ("dekker_wrong.c", "false", Some("dekker_broken.c")),
            ("dekker_broken.c", "true", Some("dekker.c")),
        ] {
            let lines = [&format!("expect: unreach-call {first}"), "expect: no-data-race false"];
            let found = program(file, &lines).expect("these should be read");
            assert_eq!(found.better_name().as_deref(), better, "{file}");
        }
    }

    #[test]
    fn the_repository_has_programs() {
        let programs = programs();
        assert!(programs.iter().any(|p| p.name.starts_with("examples/")));
        assert!(programs.iter().any(|p| p.name.starts_with("philosophers/")));
    }
}
