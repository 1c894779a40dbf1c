//! The library's table against the library: the functions of all rows that are harmless to run are called natively, and what is observed must lie
//! within what the row says.
//!
//! For each row a C function is generated that calls it with valid arguments ([`trial`]): strings where it reads strings, blocks of bytes
//! where it reads or writes blocks, streams, descriptors and other objects where the type says so, small numbers elsewhere; [`arguments`] holds
//! what is special. Then it checks that
//!
//! * blocks changed only where the row says so,
//! * the result, and what is stored through pointers, is one of the row's alternatives,
//! * `errno` changed only if the row says so.
//!
//! A row is tried, or [`reasons`] says why not, or an exact model makes it superfluous (`tests/library.rs` compares those), or it is doubtful, which
//! makes its function an undefined one. Each call runs in a process of its own, so that one that crashes harms no other. Without a C compiler
//! the test says so and passes.

#[path = "library_rows/arguments.rs"]
mod arguments;
#[path = "library_rows/reasons.rs"]
mod reasons;
#[path = "library_rows/trial.rs"]
mod trial;

use frontend::library::row::Row;
use frontend::library::{has_model, rows};
use reasons::NOT_TRIED;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PRELUDE: &str = include_str!("library_rows/prelude.h");

/// Names that only the compiler gives a meaning.
const BUILTINS: [&str; 4] = ["__builtin_", "__atomic_", "__sync_", "atomic_"];

/// Why a row is not tried; `None` if it is.
fn reason(name: &str, row: &Row<'_>) -> Option<&'static str> {
    if let Some((why, _)) = NOT_TRIED.iter().find(|(_, names)| names.contains(&name)) {
        return Some(why);
    }
    if row.flags.doubtful {
        Some("doubtful: the function counts as undefined")
    } else if has_model(name) {
        Some("an exact model in C")
    } else if BUILTINS.iter().any(|start| name.starts_with(start)) {
        Some("the compiler's")
    } else {
        None
    }
}

/// Compiles the trials; leaves out those of functions that this system does not have, and returns their names.
fn compile<'t>(directory: &Path, trials: &mut Vec<(&'t str, String)>) -> (PathBuf, Vec<&'t str>) {
    let (file, binary) = (directory.join("rows.c"), directory.join("rows"));
    let mut absent = Vec::new();
    let mut libraries = vec!["-lm", "-lcrypt", "-lresolv", "-lutil", "-lpthread", "-lrt", "-ldl", "-lanl"];
    for _ in 0..8 {
        let mut source = PRELUDE.to_owned();
        trials.iter().for_each(|(_, code)| source += code);
        source += "#line 1 \"main\"\nint main(void) {\n";
        trials.iter().for_each(|(name, _)| source += &format!("    run(\"{name}\", try_{name});\n"));
        source += "    return 0;\n}\n";
        std::fs::write(&file, source).expect("the temporary directory should be writable");
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-O0", "-fno-builtin", "-Werror=implicit-function-declaration", "-o"])
            .args([&binary, &file])
            .args(&libraries)
            .output()
            .expect("cc should start");
        if compiled.status.success() {
            return (binary, absent);
        }
        let text = String::from_utf8_lossy(&compiled.stderr);
        let before = libraries.len();
        libraries.retain(|library| !text.contains(&format!("cannot find {library}")));
        if libraries.len() < before {
            continue;
        }
        let is_error = |line: &&str| line.contains(": error:") || line.contains("undefined reference");
        let errors: String = text.lines().filter(is_error).flat_map(|line| [line, "\n"]).collect();
        let before = trials.len();
        trials.retain(|(name, _)| {
            let is_there =
                !errors.contains(&format!("try_{name}:")) && !errors.contains(&format!("`{name}'"));
            if !is_there {
                absent.push(*name);
            }
            is_there
        });
        assert!(trials.len() < before, "{errors}");
    }
    panic!("the trials should compile once those that cannot are left out");
}

#[test]
fn every_row_is_tried_or_has_a_reason_not_to_be() {
    let unknown: Vec<&str> = rows()
        .filter(|(name, row)| reason(name, row).is_none() && trial::trial(name, row).is_none())
        .map(|(name, _)| name)
        .collect();
    assert!(unknown.is_empty(), "no arguments are known for {unknown:?}");
    for (why, names) in NOT_TRIED {
        let is_row = |name: &&str| rows().any(|(of, _)| of == *name);
        assert!(names.iter().all(is_row), "{why}: {names:?}");
    }
}

#[test]
fn summaries_allow_what_the_library_does() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("there is no C compiler: nothing was tried");
        return;
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut trials: Vec<(&str, String)> = Vec::new();
    for (name, row) in rows() {
        match reason(name, &row) {
            Some(why) => *reasons.entry(why).or_default() += 1,
            None => trials.extend(trial::trial(name, &row).map(|code| (name, code))),
        }
    }
    let directory = std::env::temp_dir().join(format!("threadproof-rows-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory should be writable");
    let (binary, absent) = compile(&directory, &mut trials);
    let run = Command::new(&binary).current_dir(&directory).output().expect("the program should start");
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    std::fs::remove_dir_all(&directory).expect("the temporary directory should be removable");
    eprintln!("{} rows were tried; not in this library: {absent:?}; not tried: {reasons:#?}", trials.len());
    let bad: Vec<&str> = output.lines().filter(|line| line.starts_with("BAD")).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    let is_fine = |name: &str| (0..4).any(|k| output.contains(&format!("OK {name} {k}\n")));
    let never: Vec<&str> = trials.iter().map(|(name, _)| *name).filter(|name| !is_fine(name)).collect();
    assert!(never.is_empty(), "no call of these was possible: {never:?}");
    assert!(absent.len() * 10 < trials.len(), "most functions should be in the library");
}
