//! SV-COMP tasks: `.yml` files that name input files, properties and expected verdicts.
//!
//! ```yaml
//! format_version: '2.0'
//! input_files: 'lazy01.i'          # or a list
//! properties:
//!   - property_file: ../properties/unreach-call.prp
//!     expected_verdict: false
//! options:
//!   data_model: ILP32
//! ```

use program::{DataModel, Property};
use saphyr::{LoadableYamlNode, Yaml};
use std::path::{Path, PathBuf};
use threadproof::property;

/// One question: does this program keep this property?
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The task file.
    pub path: PathBuf,
    /// The name of the folder that holds it.
    pub category: String,
    /// The program.
    pub input_files: Vec<PathBuf>,
    /// The property.
    pub property: Property,
    /// The file that says so, if there is one.
    pub property_file: Option<PathBuf>,
    /// Whether it holds, if that is known.
    pub expected: Option<bool>,
    /// Sizes of C's types, if the task says.
    pub data_model: Option<DataModel>,
}

/// All task files under `paths`: files as given, folders recursively and sorted.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in paths {
        let metadata = path.metadata().map_err(|e| format!("{}: {e}", path.display()))?;
        if metadata.is_dir() {
            find_in(path, &mut found).map_err(|e| format!("{}: {e}", path.display()))?;
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn find_in(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
    let mut entries: Vec<(PathBuf, std::fs::FileType)> =
        entries?.into_iter().map(|e| Ok((e.path(), e.file_type()?))).collect::<std::io::Result<_>>()?;
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in entries {
        // Links to folders are not followed: they can form cycles.
        if kind.is_dir() {
            find_in(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "yml") {
            found.push(path);
        }
    }
    Ok(())
}

/// The questions that a task file asks, one for each property that threadproof knows.
pub fn read(path: &Path) -> Result<Vec<Task>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Task>, String> {
    let documents = Yaml::load_from_str(text).map_err(|e| e.to_string())?;
    let root =
        documents.first().filter(|d| d.is_mapping()).ok_or("this is no task: it should be a mapping")?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let input_files = input_files(root, folder)?;
    let category = category(folder);
    let data_model = data_model(root)?;
    let none = Vec::new();
    let properties = root.as_mapping_get("properties").and_then(Yaml::as_vec).unwrap_or(&none);
    let mut tasks = Vec::new();
    for entry in properties {
        let file =
            entry.as_mapping_get("property_file").and_then(Yaml::as_str).ok_or("a property has no file")?;
        let file = folder.join(file);
        let Some(property) = known_property(&file) else { continue };
        let property_file = Some(file).filter(|file| file.exists());
        let expected = entry.as_mapping_get("expected_verdict").and_then(Yaml::as_bool);
        let (path, category) = (path.to_owned(), category.clone());
        let input_files = input_files.clone();
        tasks.push(Task { path, category, input_files, property, property_file, expected, data_model });
    }
    Ok(tasks)
}

fn input_files(root: &Yaml<'_>, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let node = root.as_mapping_get("input_files").ok_or("`input_files` is missing")?;
    let names: Vec<&str> = match node.as_vec() {
        Some(list) => list.iter().filter_map(Yaml::as_str).collect(),
        None => node.as_str().into_iter().collect(),
    };
    if names.is_empty() {
        return Err("`input_files` should be a name or a list of names".into());
    }
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

fn data_model(root: &Yaml<'_>) -> Result<Option<DataModel>, String> {
    let options = root.as_mapping_get("options");
    match options.and_then(|o| o.as_mapping_get("data_model")).and_then(Yaml::as_str) {
        None => Ok(None),
        Some("ILP32") => Ok(Some(DataModel::Ilp32)),
        Some("LP64") => Ok(Some(DataModel::Lp64)),
        Some(other) => Err(format!("`{other}` is no data model")),
    }
}

/// Task files are often copied without their property files; the file's name is as good then.
fn known_property(path: &Path) -> Option<Property> {
    let by_name = || property::from_name(path.file_stem()?.to_str()?);
    if path.exists() { property::from_file(path).ok().map(|asked| asked.property) } else { by_name() }
}

fn category(folder: &Path) -> String {
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned());
    name(folder).or_else(|| name(&folder.canonicalize().ok()?)).unwrap_or_else(|| ".".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<Task>, String> {
        parse(Path::new("suite/locks/a.yml"), text)
    }

    #[test]
    fn a_task() {
        let tasks = check(
            "format_version: '2.0'\ninput_files: 'a.i'\nproperties:\n  - property_file: ../p/unreach-call.prp\n    \
             expected_verdict: false\n  - property_file: ../p/coverage-branches.prp\n  - property_file: \
             ../p/no-data-race.prp\n    expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n",
        )
        .unwrap();
        assert_eq!(tasks.len(), 2);
        assert_eq!(tasks[0].category, "locks");
        assert_eq!(tasks[0].input_files, [PathBuf::from("suite/locks/a.i")]);
        assert_eq!((tasks[0].property, tasks[0].expected), (Property::UnreachCall, Some(false)));
        assert_eq!((tasks[1].property, tasks[1].expected), (Property::NoDataRace, Some(true)));
        assert_eq!(tasks[0].data_model, Some(DataModel::Ilp32));
    }

    #[test]
    fn several_input_files() {
        let tasks =
            check("input_files: [a.c, b.c]\nproperties:\n- property_file: termination.prp\n").unwrap();
        assert_eq!(tasks[0].input_files.len(), 2);
        assert_eq!((tasks[0].expected, tasks[0].data_model), (None, None));
    }

    #[test]
    fn bad_tasks() {
        for text in [
            "",
            "- a",
            "a: [",
            "properties: []",
            "input_files: {}",
            "input_files: a\noptions: {data_model: X}",
        ] {
            assert!(check(text).is_err(), "{text:?}");
        }
        assert_eq!(check("input_files: a.c"), Ok(Vec::new()));
    }
}
