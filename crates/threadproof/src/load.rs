//! From file names to a program.

use crate::options::SourceOptions;
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
        },
    };
    frontend::load(files, &options)
}

/// What was taken for granted about the program's surroundings, a line each.
pub fn assumptions(program: &Program) -> Vec<String> {
    program.assumptions.iter().map(|a| format!("{}: {}", span_name(program, a.span), a.text)).collect()
}
