//! The most general client of a library: a driver in C, written from what the library exports.
//!
//! A library has no `main`. What it must stand is any client: threads that call its exported functions in any order, with any arguments
//! that are valid for their types. This module writes such a client as C, which includes the library's files, for the user to read and to
//! edit; and the same text is what `--library` verifies, so there is nothing in an answer that cannot be seen in the driver.
//!
//! ```text
//! main:    initialisers that the user names; make the shared objects
//!          create the clients ──▶ client: while (any) call any exported function with any arguments
//!          join them; perhaps end the shared objects
//! ```
//!
//! | part | does |
//! |---|---|
//! | `roles` | what functions do with their arguments: initialise, consume, keep |
//! | `plan` | which functions make, initialise and end objects of which type; which are called by clients |
//! | `arguments` | valid arguments for a type |
//! | `spell` | types as C spells them |
//! | `write` | the text |
//!
//! # What a valid client is
//! - An object is made (by a function that returns one, or by one that initialises it in place) before other threads can see it, and ended once, after
//!   all other calls for it. Which functions do this is read off their bodies (`roles`), never off their names.
//! - Objects of a type that the library makes, or that contains a lock or an atomic, are shared by all clients: a few
//!   objects, any of which may be an argument. All other records, strings and buffers belong to the calling thread.
//! - Integers, floats and the contents of strings and buffers are arbitrary; sizes of objects and buffers are small and positive.
//! - A client that waits for an event (a condition variable, a semaphore) may wait for ever, since no other client has to call what would
//!   wake it. One that waits for a mutex may not.
//!
//! Each of these choices is a comment in the driver; the number of clients, and which functions count as initialisers and destructors, are assumptions in the report.

mod arguments;
mod plan;
mod roles;
mod spell;
mod walk;
mod write;

pub(crate) use walk::{Node, walk, walk_stmt};

use crate::hir::FunctionId;
use crate::sema::Exports;
use report::{Diagnostic, Level};
use std::path::PathBuf;

/// What can be chosen about the client.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Client {
    /// The functions that are called; all exported ones if empty.
    pub functions: Vec<String>,
    /// Functions that are called before all others, or for each object before it is shared.
    pub init: Vec<String>,
    /// The number of threads; any number if `None`.
    pub threads: Option<u32>,
    /// Pointers may be null.
    pub may_be_null: bool,
}

/// A driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// The text, in C.
    pub text: String,
    /// What it takes for granted about clients.
    pub assumptions: Vec<String>,
}

/// The files of a library.
pub(crate) struct LibraryFiles {
    /// As the driver includes them.
    pub(crate) names: Vec<String>,
    /// True if one of them includes others.
    pub(crate) has_headers: bool,
}

impl LibraryFiles {
    /// The files at these paths, which can be read.
    pub(crate) fn new(paths: &[PathBuf]) -> Self {
        let includes = |line: &str| {
            line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("include"))
        };
        let text =
            |path: &PathBuf| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Self {
            names: paths.iter().map(|path| path.display().to_string()).collect(),
            has_headers: paths
                .iter()
                .filter_map(|path| text(path).ok())
                .any(|text| text.lines().any(includes)),
        }
    }
}

/// The driver for a library.
pub(crate) fn harness(
    files: &LibraryFiles,
    exports: &Exports,
    client: &Client,
) -> Result<Harness, Vec<Diagnostic>> {
    check_names(exports, client)?;
    let plan = plan::Plan::new(exports, client);
    Ok(write::write(files, &plan))
}

/// Every function that the user names should be one that clients can call.
fn check_names(exports: &Exports, client: &Client) -> Result<(), Vec<Diagnostic>> {
    let is_exported =
        |name: &String| exports.functions.iter().any(|&id| exports.module.functions[id].name == *name);
    let unknown = client.functions.iter().chain(&client.init).filter(|&name| !is_exported(name));
    let diagnostics: Vec<Diagnostic> = unknown
        .map(|name| {
            let message = format!("the library exports no function '{name}'");
            let names: Vec<&str> = exports
                .functions
                .iter()
                .map(|&id: &FunctionId| exports.module.functions[id].name.as_str())
                .collect();
            let help = Some(format!("it exports {}", names.join(", ")));
            Diagnostic { help, ..Diagnostic::about_file(Level::Error, "", message) }
        })
        .collect();
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}
