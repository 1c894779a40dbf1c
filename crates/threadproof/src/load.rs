//! From the command line to a program.

use crate::args::SourceOptions;
use crate::args::property::Asked;
use crate::output;
use frontend::{Checks, Loaded, Options};
use program::interp::span_name;
use program::{Action, DataModel, Program, Property};
use report::{Diagnostic, Level};
use std::path::PathBuf;

/// Reads the files as one program; `property` decides which checks are built into it.
pub fn load(files: &[PathBuf], source: &SourceOptions, asked: Option<&Asked>) -> Loaded {
    let property = asked.map(|asked| asked.property);
    let mut errors = asked.map(|asked| asked.errors.clone()).unwrap_or_default();
    errors.functions.extend_from_slice(&source.error_function);
    errors.labels.extend_from_slice(&source.error_label);
    let entry = asked.and_then(|asked| asked.entry.as_ref()).unwrap_or(&source.entry);
    let options = Options {
        data_model: source.data_model.map_or(DataModel::Lp64, Into::into),
        include_dirs: source.include_dirs.clone(),
        defines: source.defines.clone(),
        entry: entry.clone(),
        checks: Checks {
            overflow: property == Some(Property::NoOverflow),
            foreign_accesses: property == Some(Property::NoDataRace),
        },
        errors,
    };
    let mut loaded = frontend::load(files, &options);
    if property == Some(Property::UnreachCall)
        && let Some(program) = &loaded.program
        && !has_errors(program)
    {
        loaded.diagnostics.push(nothing_to_check());
    }
    loaded
}

/// Whether anything in the program counts as an error, or may be followed by what does.
fn has_errors(program: &Program) -> bool {
    let mut locations = program.functions.iter().flat_map(|function| function.locations.iter());
    locations.any(|location| {
        matches!(
            location.action,
            Action::Error { property: Property::UnreachCall, .. } | Action::Unsupported(_)
        )
    })
}

fn nothing_to_check() -> Diagnostic {
    let message =
        "nothing in this program counts as an error: it has no assertion and no call of `reach_error`";
    let help = "name what counts: --error-function NAME, --error-label NAME (older programs use ERROR), or a property file";
    Diagnostic { help: Some(help.to_owned()), ..Diagnostic::about_file(Level::Warning, "", message) }
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
