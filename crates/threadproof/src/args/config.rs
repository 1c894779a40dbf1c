//! `threadproof.toml`: the options of a project, so that they need not be repeated on every command line.
//!
//! A key is the long name of an option of `verify`, or `files`; so the command line's help is the schema, and there is no second list of options to keep true. What is given on the
//! command line overrides the file. A key that a command does not have (`show` has no `timeout`) does not concern it. Folders and files are seen from the folder of
//! the `threadproof.toml`.
//!
//! ```toml
//! project = "build"                       # as -p build
//! property = ["unreach-call", "no-data-race"]
//! timeout = "5m"
//! malloc-may-fail = true
//! ```

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file's name.
pub const NAME: &str = "threadproof.toml";

/// Keys whose values are folders or files.
const PATHS: [&str; 10] = [
    "files",
    "project",
    "units",
    "main",
    "include-dir",
    "models",
    "output",
    "trace-log",
    "cache",
    "baseline",
];
/// Keys that say which program is meant: if the command line does, the file does not.
const PROGRAM: [&str; 5] = ["files", "project", "units", "main", "target"];

/// The command line with the options of the project's file, if there is one and it has any that count.
pub fn complete(
    command: &mut Command,
    matches: &ArgMatches,
    args: Vec<OsString>,
) -> Result<Option<Vec<OsString>>, clap::Error> {
    let Some((name, given)) = matches.subcommand() else { return Ok(None) };
    let (Ok(named), Ok(none)) =
        (given.try_get_one::<PathBuf>("config"), given.try_get_one::<bool>("no_config"))
    else {
        return Ok(None);
    };
    let Some(path) = named.cloned().or_else(|| find().filter(|_| none != Some(&true))) else {
        return Ok(None);
    };
    let added = read(&path).and_then(|table| options(&table, folder(&path), command, name, given));
    let added = added.map_err(|why| {
        let message = format!("{}: {why}", path.display());
        let command = command.find_subcommand_mut(name).expect("a subcommand that was found should exist");
        command.error(ErrorKind::InvalidValue, message)
    })?;
    // The first two words are the program and its command.
    let (front, rest) = args.split_at(args.len().min(2));
    let all = front.iter().cloned().chain(added).chain(rest.iter().cloned());
    Ok(Some(all.collect()))
}

/// The file in this folder, or in the nearest one above it.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let at = here.ancestors().position(|folder| folder.join(NAME).is_file())?;
    let up: PathBuf = std::iter::repeat_n("..", at).collect();
    Some(up.join(NAME))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn read(path: &Path) -> Result<Table, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read it: {error}"))?;
    text.parse::<Table>().map_err(|error| error.to_string())
}

/// The keys as options of the command, except those that the command line overrides.
fn options(
    table: &Table,
    folder: &Path,
    command: &Command,
    name: &str,
    given: &ArgMatches,
) -> Result<Vec<OsString>, String> {
    let verify = command.find_subcommand("verify").expect("there should be a command `verify`");
    let this = command.find_subcommand(name).expect("a subcommand that was found should exist");
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    let named_here = ["project", "units"].into_iter().any(is_given);
    let mut added = Vec::new();
    for (key, value) in table {
        let Some(arg) = find_arg(verify, key) else {
            return Err(format!("`{key}` is no option of `verify`"));
        };
        let overridden = is_given(arg.get_id().as_str())
            || named_here && PROGRAM.contains(&key.as_str())
            || key == "property" && is_given("robustness");
        if find_arg(this, key).is_none() || overridden {
            continue;
        }
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        for text in texts(key, value)? {
            let path = if PATHS.contains(&key.as_str()) { seen_from_here(key, &text, folder) } else { text };
            match (key.as_str(), is_switch, path.as_str()) {
                ("files", _, _) => added.push(path.into()),
                (_, true, "true") => added.push(format!("--{key}").into()),
                (_, true, "false") => {}
                (_, true, other) => return Err(format!("`{key}` is true or false, not `{other}`")),
                (_, false, _) => added.push(format!("--{key}={path}").into()),
            }
        }
    }
    Ok(added)
}

fn find_arg<'c>(command: &'c Command, key: &str) -> Option<&'c clap::Arg> {
    let is_meant = |arg: &&clap::Arg| {
        arg.get_long() == Some(key) || key == "files" && arg.is_positional() && arg.get_id() == "files"
    };
    command
        .get_arguments()
        .find(is_meant)
        .filter(|arg| !["config", "no-config", "help"].contains(&arg.get_id().as_str()))
}

/// An output is a format, an equals sign and a file.
fn seen_from_here(key: &str, text: &str, folder: &Path) -> String {
    let (format, path) = match text.split_once('=') {
        Some((format, path)) if key == "output" => (format!("{format}="), path),
        _ => (String::new(), text),
    };
    format!("{format}{}", folder.join(path).display())
}

/// One value, or those of a list, as they would be written on the command line.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Boolean(value) => Ok(vec![value.to_string()]),
        Value::Integer(value) => Ok(vec![value.to_string()]),
        Value::Array(values) => {
            let all: Result<Vec<Vec<String>>, String> =
                values.iter().map(|value| texts(key, value)).collect();
            Ok(all?.concat())
        }
        Value::Float(_) | Value::Datetime(_) | Value::Table(_) => {
            Err(format!("`{key}` is a text, a number, true or false, or a list of these"))
        }
    }
}
