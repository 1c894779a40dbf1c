//! From the command line to a program.

use crate::args::SourceOptions;
use crate::output;
use frontend::{Checks, Library, Loaded, Options, Surroundings, Texts};
use program::interp::span_name;
use program::{DataModel, Program, Property};
use report::{Diagnostic, Level};
use std::path::PathBuf;

/// Files that were read, and how to make a program of them.
pub struct Source {
    texts: Texts,
    options: Options,
}

impl Source {
    /// Reads the files, and the tables of library functions; the diagnostics say what is wrong with the latter.
    pub fn read(files: &[PathBuf], source: &SourceOptions) -> Result<Self, Vec<Diagnostic>> {
        let options = options(source)?;
        Ok(Self { texts: frontend::read(files, &options), options })
    }

    /// The program; `property` decides which checks are built into it.
    pub fn load(&self, property: Option<Property>) -> Loaded {
        let checks = Checks {
            overflow: property == Some(Property::NoOverflow),
            foreign_accesses: property == Some(Property::NoDataRace),
            waiting: matches!(property, Some(Property::Termination | Property::NoDeadlock)),
        };
        self.texts.load(&Options { checks, ..self.options.clone() })
    }
}

/// Reads the files as one program; `property` decides which checks are built into it.
pub fn load(files: &[PathBuf], source: &SourceOptions, property: Option<Property>) -> Loaded {
    match Source::read(files, source) {
        Ok(source) => source.load(property),
        Err(diagnostics) => Loaded::without_program(diagnostics),
    }
}

fn options(source: &SourceOptions) -> Result<Options, Vec<Diagnostic>> {
    let mut tables = Vec::new();
    for path in &source.models {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => tables.push((name, text)),
            Err(error) => {
                let message = format!("cannot read `{name}`: {error}");
                return Err(vec![Diagnostic::about_file(Level::Error, &name, message)]);
            }
        }
    }
    Ok(Options {
        data_model: source.data_model.map_or(DataModel::Lp64, Into::into),
        include_dirs: source.include_dirs.clone(),
        defines: source.defines.clone(),
        entry: source.entry.clone(),
        checks: Checks::default(),
        surroundings: Surroundings {
            library: Library::with_tables(&tables)?,
            undefined: source.undefined_functions.into(),
        },
    })
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
