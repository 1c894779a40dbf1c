//! From file names to a program.

use crate::options::{LibraryOptions, SourceOptions};
use crate::property::Asked;
use frontend::{Checks, Harness, Library, Loaded, Options, Surroundings, Texts};
use program::interp::span_name;
use program::{Action, Assumption, DataModel, Program, Property};
use report::{Diagnostic, Level};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Files that were read, and how to make a program of them.
pub struct Source {
    texts: Arc<Texts>,
    options: Options,
}

impl Source {
    /// Reads the files, unless others have put their `texts` here already, and the tables of library functions; the diagnostics say what is
    /// wrong with the latter.
    pub(crate) fn read(
        files: &[PathBuf],
        source: &SourceOptions,
        asked: Option<&Asked>,
        texts: &OnceLock<Arc<Texts>>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut options = options(source, asked)?;
        let client = source.client();
        if client.is_some() {
            options.entry = "main".to_owned();
        }
        let read = || match &client {
            None => frontend::read(files, &options),
            Some(client) => frontend::read_library(files, &options, client),
        };
        let texts = Arc::clone(texts.get_or_init(|| Arc::new(read())));
        Ok(Self { texts, options })
    }

    /// The same program with something put into its texts.
    pub(crate) fn with_texts(&self, texts: Texts) -> Self {
        Self { texts: Arc::new(texts), options: self.options.clone() }
    }

    /// What is taken for granted about the clients of a library.
    pub(crate) fn client_assumptions(&self) -> &[String] {
        self.texts.driver().map_or(&[], |driver| &driver.assumptions)
    }

    /// The program; `property` decides which checks are built into it.
    pub fn load(&self, property: Option<Property>) -> Loaded {
        self.load_with(property, false)
    }

    /// The version of the program in which also undefined functions access what they are given.
    pub(crate) fn load_with_environment(&self, property: Property) -> Loaded {
        self.load_with(Some(property), true)
    }

    fn load_with(&self, property: Option<Property>, environment: bool) -> Loaded {
        let checks = Checks {
            environment,
            termination: property == Some(Property::Termination),
            // Under a weak model the races of a program decide whether it behaves as under sequential consistency.
            foreign_accesses: property == Some(Property::NoDataRace)
                || self.options.checks.memory_model.is_weak(),
            waiting: matches!(property, Some(Property::Termination | Property::NoDeadlock)),
            validity: property.is_some_and(Property::is_about_validity),
            undefined: property == Some(Property::UndefinedBehaviour),
            ..self.options.checks
        };
        let mut loaded = self.texts.load(&Options { checks, ..self.options.clone() });
        if property == Some(Property::UnreachCall)
            && let Some(program) = &loaded.program
            && !has_errors(program.program())
        {
            loaded.diagnostics.push(nothing_to_check());
        }
        loaded
    }
}

/// Reads the files as one program; `property` decides which checks are built into it.
pub fn load(files: &[PathBuf], source: &SourceOptions, property: Option<Property>) -> Loaded {
    match Source::read(files, source, None, &OnceLock::new()) {
        Ok(source) => source.load(property),
        Err(diagnostics) => Loaded::without_program(diagnostics),
    }
}

/// Writes the most general client of the library that the files are.
pub fn harness(files: &[PathBuf], source: &SourceOptions) -> Result<Harness, Vec<Diagnostic>> {
    let library = LibraryOptions { library: true, ..source.library.clone() };
    let source = SourceOptions { library, ..source.clone() };
    let client = source.client().unwrap_or_default();
    frontend::write_harness(files, &options(&source, None)?, &client)
}

/// How the front end is to read the files; or what is wrong with the options or the tables of library functions.
pub(crate) fn options(source: &SourceOptions, asked: Option<&Asked>) -> Result<Options, Vec<Diagnostic>> {
    if let Some(option) = source.without_library() {
        let message = format!("{option} is about the clients of a library: add --library");
        return Err(vec![Diagnostic::about_file(Level::Error, "", message)]);
    }
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
    let mut errors = asked.map(|asked| asked.errors.clone()).unwrap_or_default();
    errors.functions.extend_from_slice(&source.error_function);
    errors.labels.extend_from_slice(&source.error_label);
    let entry =
        asked.and_then(|asked| asked.entry.clone()).unwrap_or_else(|| source.first_function().to_owned());
    Ok(Options {
        data_model: source.data_model.map_or(DataModel::Lp64, Into::into),
        include_dirs: source.include_dirs.clone(),
        defines: source.defines.clone(),
        flags: source.flags.clone(),
        entry,
        checks: Checks {
            allocation_may_fail: source.malloc_may_fail,
            creation_may_fail: source.thread_create_may_fail,
            reuse_addresses: source.reuse_addresses,
            memory_model: source.memory_model,
            ..Checks::default()
        },
        surroundings: Surroundings {
            library: Library::with_tables(&tables)?,
            undefined: source.undefined_functions.into(),
        },
        errors,
    })
}

/// Returns true if anything in the program counts as an error, or may be followed by what does.
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

/// What was taken for granted about the program's surroundings, a line each.
pub fn assumptions(program: &Program) -> Vec<String> {
    let line = |assumption: &Assumption| match assumption.span.is_somewhere() {
        true => format!("{}: {}", span_name(program, assumption.span), assumption.text),
        false => assumption.text.clone(),
    };
    program.assumptions.iter().map(line).collect()
}
