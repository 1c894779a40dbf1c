//! From the command line to a program.

use crate::args::SourceOptions;
use crate::output;
use frontend::{Checks, Loaded, Options};
use program::interp::span_name;
use program::{DataModel, Program, Property};
use std::path::PathBuf;

/// Reads the files as one program; `property` decides which checks are built into it.
pub fn load(files: &[PathBuf], source: &SourceOptions, property: Option<Property>) -> Loaded {
    let options = Options {
        data_model: source.data_model.map_or(DataModel::Lp64, Into::into),
        include_dirs: source.include_dirs.clone(),
        defines: source.defines.clone(),
        entry: source.entry.clone(),
        checks: Checks {
            overflow: property == Some(Property::NoOverflow),
            foreign_accesses: property == Some(Property::NoDataRace),
            allocation_may_fail: source.malloc_may_fail,
            creation_may_fail: source.thread_create_may_fail,
            reuse_addresses: source.reuse_addresses,
        },
    };
    frontend::load(files, &options)
}

/// Reads the files and shows what is to be said about them; nothing if they are no program.
pub fn load_or_explain(files: &[PathBuf], source: &SourceOptions) -> Option<Program> {
    let loaded = load(files, source, None);
    output::diagnostics(&loaded.diagnostics);
    loaded.program
}

/// What was taken for granted about the program's surroundings, a line each.
pub fn assumptions(program: &Program) -> Vec<String> {
    program.assumptions.iter().map(|a| format!("{}: {}", span_name(program, a.span), a.text)).collect()
}
