//! `threadproof init`: writes a `threadproof.toml` that says what it can say of the project in the current folder.

use crate::args::{CONFIG_NAME, InitArgs};
use crate::output::{self, Exit};
use std::path::Path;
use threadproof::project::{BUILD_FOLDERS, has_database};

/// Writes the file, unless there is one.
pub fn init(args: &InitArgs) -> Exit {
    let path = Path::new(CONFIG_NAME);
    if path.exists() && !args.force {
        output::err(&format!("error: there is a {CONFIG_NAME} already (--force replaces it)\n"));
        return Exit::BadInput;
    }
    match std::fs::write(path, text(Path::new("."))) {
        Ok(()) => {
            output::out(&format!("wrote {CONFIG_NAME}; `threadproof verify` uses it\n"));
            Exit::Fine
        }
        Err(error) => {
            output::err(&format!("error: cannot write {CONFIG_NAME}: {error}\n"));
            Exit::BadInput
        }
    }
}

/// The file for a project in `folder`.
fn text(folder: &Path) -> String {
    let program = match BUILD_FOLDERS.iter().find(|name| has_database(&folder.join(name))) {
        Some(name) => format!("project = {name:?}\n"),
        None => format!("files = {:?}\n", c_files(folder)),
    };
    format!(
        "# Options of `threadproof verify` by their long names; `threadproof verify --help` lists them all.\n\
         # The command line overrides them. Folders and files are seen from this file.\n\
         \n\
         # The program: a folder with a compile_commands.json (project), C files (files), or a list of units with flags (units).\n\
         {program}\
         # Where the project has several programs: the file with `main`, or what the build system calls it.\n\
         # main = \"src/main.c\"\n\
         # target = \"server\"\n\
         \n\
         # What is to be decided; without this: assertions, memory safety, undefined behaviour, data races and deadlocks.\n\
         # property = [\"unreach-call\", \"no-data-race\", \"no-deadlock\"]\n\
         timeout = \"60s\"\n\
         # Answers about an unchanged program are taken from this folder, which may be deleted.\n\
         # cache = \".threadproof\"\n\
         # Violations that are known and do not fail; `threadproof verify --write-baseline FILE` writes it.\n\
         # baseline = \"threadproof-baseline.json\"\n\
         \n\
         # What functions do that the program does not define: \"pure\", \"writes-arguments\" or \"anything\".\n\
         # undefined-functions = \"writes-arguments\"\n\
         # models = [\"stubs.tbl\"]\n\
         # malloc-may-fail = true\n\
         # thread-create-may-fail = true\n"
    )
}

/// The C files of a folder, by name.
fn c_files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".c")).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_toml() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.c"), "").unwrap();
        std::fs::write(folder.path().join("a.c"), "").unwrap();
        let table: toml::Table = text(folder.path()).parse().unwrap();
        let files: Vec<_> =
            table["files"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
        assert_eq!(files, ["a.c", "b.c"]);
        std::fs::create_dir(folder.path().join("build")).unwrap();
        std::fs::write(folder.path().join("build/compile_commands.json"), "[]").unwrap();
        let table: toml::Table = text(folder.path()).parse().unwrap();
        assert_eq!(table["project"].as_str(), Some("build"));
    }
}
