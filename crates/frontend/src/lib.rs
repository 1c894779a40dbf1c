//! From C to a concurrent program: preprocessing, parsing, typing, lowering, and the C library's models.
//!
//! ```text
//! path ─▶ preprocess ─▶ lex ─▶ parse ─▶ sema ─▶ lower ─▶ Program
//!          (cc -E)            (ast)   (hir)
//! ```
//!
//! | module | in | out |
//! |---|---|---|
//! | [`preprocess`] | a path | preprocessed text with line markers |
//! | [`lex`], [`parse`] | text | [`ast`]: the syntax tree, names borrowed from the text |
//! | [`sema`] | all syntax trees | [`hir`]: names resolved, every conversion explicit, only what is reachable |
//! | [`lower`] | the typed tree | [`program::Program`] |
//! | [`outline`] | a text | which names it defines and needs: what a linker knows |
//! | [`places`] | texts | where statements, loops and calls stand, and texts with something put in there |
//!
//! [`harness`] writes the most general client of a library, as C. [`library`] says what functions do that the program does not define: exact models in C (`models/*.c`, parsed if the program mentions
//! one of their names), and a table of summaries (`models/library.tbl`).
//!
//! This is the only crate that knows C. It knows nothing of solvers and engines. What has no model is lowered to
//! [`program::Action::Unsupported`], so that it costs the verdict only if it can be reached.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod ast;
pub mod attributes;
pub mod harness;
pub mod hir;
pub mod lex;
pub mod library;
pub mod lower;
pub mod outline;
pub mod parse;
pub mod places;
pub mod preprocess;
pub mod sema;
pub mod source;
pub mod types;

use harness::LibraryFiles;
pub use harness::{Client, Harness};
pub use library::{Library, Undefined};
pub use lower::{Checks, Gap, Surroundings};

use parse::Parsed;
use preprocess::PreprocessOptions;
use program::passes::RawProgram;
use program::{DataModel, TypeFacts};
use report::{Diagnostic, Level};
use rustc_hash::FxHashSet;
use sema::ParsedUnit;
use source::Files;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How to read the input.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sizes of C's types.
    pub data_model: DataModel,
    /// Where to look for headers.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// What the compiler is told about single files beside that.
    pub flags: BTreeMap<PathBuf, Vec<OsString>>,
    /// The function where the program starts.
    pub entry: String,
    /// Which checks are built into the program.
    pub checks: Checks,
    /// What is known of functions that the program does not define.
    pub surroundings: Surroundings,
    /// What counts as an error.
    pub errors: Errors,
}

/// What counts as an error for the property `unreach-call`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errors {
    /// Functions that should not be called, whether defined or not.
    pub functions: Vec<String>,
    /// Labels that should not be reached, in any function.
    pub labels: Vec<String>,
    /// True if assertions that fail count, and calls of `reach_error` and `__VERIFIER_error`.
    pub assertions: bool,
}

impl Default for Errors {
    fn default() -> Self {
        Self { functions: Vec::new(), labels: Vec::new(), assertions: true }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_model: DataModel::Lp64,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            flags: BTreeMap::new(),
            entry: "main".to_owned(),
            checks: Checks::default(),
            surroundings: Surroundings::default(),
            errors: Errors::default(),
        }
    }
}

/// What became of the input.
#[derive(Debug)]
pub struct Loaded {
    /// The program, before all passes, unless there were errors.
    pub program: Option<RawProgram>,
    /// What of it has no model.
    pub gaps: Vec<Gap>,
    /// What the types say of what undefined functions write.
    pub types: TypeFacts,
    /// Everything there is to say about the input.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// There is no program; the diagnostics say why.
    pub fn without_program(diagnostics: Vec<Diagnostic>) -> Self {
        Self { program: None, gaps: Vec::new(), types: TypeFacts::default(), diagnostics }
    }
}

/// Pipes and the like between the threads of a program.
const CHANNELS: (&str, &str) = ("<channels>", include_str!("../models/channels.c"));
/// The model that [`CHANNELS`] stands in for.
const DESCRIPTORS: &str = "<descriptors>";
/// Functions that make other processes, with which a program may share its channels.
const PROCESS_MAKERS: &[&str] = &[
    "fork",
    "vfork",
    "_Fork",
    "clone",
    "daemon",
    "forkpty",
    "posix_spawn",
    "posix_spawnp",
    "popen",
    "system",
    "wordexp",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
];
/// The allocator that replaces the built-in one where addresses are used again.
const REUSE: (&str, &str) = ("<reuse>", include_str!("../models/reuse.c"));

/// Parsing and lowering recurse over trees that may be high; only what is used of it is ever backed by memory.
const STACK_BYTES: usize = 1 << 30;

/// The preprocessed text of files.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    texts: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
    driver: Option<Harness>,
}

impl Texts {
    /// Links the texts into one program.
    pub fn load(&self, options: &Options) -> Loaded {
        if has_errors(&self.diagnostics) {
            return Loaded::without_program(self.diagnostics.clone());
        }
        load_texts(&self.texts, options, self.diagnostics.clone())
    }

    /// The texts, each with the name of its file.
    pub fn as_slice(&self) -> &[(String, String)] {
        &self.texts
    }

    /// The driver that was written for the files, if they are a library.
    pub fn driver(&self) -> Option<&Harness> {
        self.driver.as_ref()
    }
}

/// The name of drivers in positions.
pub const DRIVER: &str = "harness.c";

/// Reads C files and links them into one program.
pub fn load(paths: &[PathBuf], options: &Options) -> Loaded {
    read(paths, options).load(options)
}

/// Reads and preprocesses C files, several at once.
pub fn read(paths: &[PathBuf], options: &Options) -> Texts {
    let mut all = Texts::default();
    for (path, read) in paths.iter().zip(read_each(paths, options)) {
        match read {
            Ok((text, warnings)) => {
                all.texts.push((path.display().to_string(), text));
                all.diagnostics.extend(warnings);
            }
            Err(errors) => all.diagnostics.extend(errors),
        }
    }
    all
}

/// The text of a file and what is odd about it, or why there is none.
type Read = Result<(String, Vec<Diagnostic>), Vec<Diagnostic>>;

/// What became of each file, in their order. The compiler is run by as many threads as the machine has cores.
fn read_each(paths: &[PathBuf], options: &Options) -> Vec<Read> {
    let read = |path: &Path| preprocess::read_source(path, &preprocess_options(options, Some(path)));
    let n_threads = std::thread::available_parallelism().map_or(1, Into::into).min(paths.len());
    let n_begun = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                while let Some(path) = paths.get(n_begun.fetch_add(1, Ordering::Relaxed)) {
                    let text = read(path);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((path, text));
                }
            });
        }
    });
    let mut done: BTreeMap<&PathBuf, Read> =
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    paths.iter().map(|path| done.remove(path).unwrap_or_else(|| read(path))).collect()
}

/// How a file is preprocessed; a text of ours has no flags of its own.
fn preprocess_options(options: &Options, path: Option<&Path>) -> PreprocessOptions {
    PreprocessOptions {
        include_dirs: options.include_dirs.clone(),
        defines: options.defines.clone(),
        flags: path.and_then(|path| options.flags.get(path)).cloned().unwrap_or_default(),
        data_model: options.data_model,
    }
}

/// Writes the most general client of the library that C files define; or says what is wrong with them.
pub fn write_harness(
    paths: &[PathBuf],
    options: &Options,
    client: &Client,
) -> Result<Harness, Vec<Diagnostic>> {
    let Texts { texts, mut diagnostics, .. } = read(paths, options);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    on_large_stack(|| {
        let mut files = Files::default();
        let units = parse_all(&texts, &names_in(&texts), options, &mut files, &mut diagnostics);
        let (exports, found) = sema::exports(&units, &options.errors, options.data_model, &files);
        diagnostics.extend(found);
        let files = LibraryFiles::new(paths);
        match exports {
            Some(exports) if !has_errors(&diagnostics) => harness::harness(&files, &exports, client),
            _ => Err(diagnostics),
        }
    })
    .unwrap_or_else(Err)
}

/// Reads and preprocesses the files of a library, together with its most general client.
pub fn read_library(paths: &[PathBuf], options: &Options, client: &Client) -> Texts {
    let driver = match write_harness(paths, options, client) {
        Ok(driver) => driver,
        Err(diagnostics) => return Texts { diagnostics, ..Texts::default() },
    };
    match preprocess::read_text(&driver.text, DRIVER, &preprocess_options(options, None)) {
        Ok((text, diagnostics)) => {
            Texts { texts: vec![(DRIVER.to_owned(), text)], diagnostics, driver: Some(driver) }
        }
        Err(diagnostics) => Texts { diagnostics, ..Texts::default() },
    }
}

/// Reads preprocessed C.
pub fn load_text(name: &str, text: &str, options: &Options) -> Loaded {
    load_texts(&[(name.to_owned(), text.to_owned())], options, Vec::new())
}

fn load_texts(texts: &[(String, String)], options: &Options, diagnostics: Vec<Diagnostic>) -> Loaded {
    on_large_stack(|| build(texts, options, diagnostics)).unwrap_or_else(Loaded::without_program)
}

/// Does work that recurses over trees.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("frontend".to_owned()).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, work).map(|worker| worker.join()) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let message = format!("no memory for the front end's stack: {error}");
                Err(vec![Diagnostic::about_file(Level::Error, "", message)])
            }
        }
    })
}

/// Parses texts, and the library models that they mention.
fn parse_all<'t>(
    texts: &'t [(String, String)],
    mentioned: &FxHashSet<&str>,
    options: &Options,
    files: &mut Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ParsedUnit<'t>> {
    let mut units = Vec::new();
    for (name, text) in texts {
        let Parsed { unit, items, diagnostics: found } = parse::parse_unit(text, name, false, files);
        diagnostics.extend(found);
        units.push(ParsedUnit { unit, items });
    }
    let reuse = options.checks.reuse_addresses.then_some(REUSE);
    let channels = makes_channels(mentioned).then_some(CHANNELS);
    let instead = || reuse.into_iter().chain(channels);
    let by_models = instead().flat_map(|(_, text)| library::mentions::mentioned(text));
    let needed = library::models::needed(mentioned.iter().copied().chain(by_models));
    let kept = needed.into_iter().filter(|(name, _)| channels.is_none() || *name != DESCRIPTORS);
    for (name, text) in kept.chain(instead()) {
        let model = parse::parse_unit(text, name, true, files);
        debug_assert!(model.diagnostics.is_empty(), "our models should parse: {:?}", model.diagnostics);
        units.push(ParsedUnit { unit: model.unit, items: model.items });
    }
    units
}

/// The names that texts mention, otherwise than by declaring them.
fn names_in(texts: &[(String, String)]) -> FxHashSet<&str> {
    texts.iter().flat_map(|(_, text)| library::mentions::mentioned(text)).collect()
}

/// Returns true if a program makes pipes or the like, and they stay among its own threads.
fn makes_channels(mentioned: &FxHashSet<&str>) -> bool {
    let mentions = |names: &[&str]| names.iter().any(|name| mentioned.contains(name));
    mentions(&["pipe", "pipe2", "socketpair", "eventfd"]) && !mentions(PROCESS_MAKERS)
}

/// Returns true if a program may depend on what calls leave in `errno`: it reads it, or prints its message by `%m`.
fn looks_at_errno(texts: &[(String, String)], mentioned: &FxHashSet<&str>) -> bool {
    ["__errno_location", "errno"].iter().any(|name| mentioned.contains(name))
        || texts.iter().any(|(_, text)| text.contains("%m"))
}

fn build(texts: &[(String, String)], options: &Options, mut diagnostics: Vec<Diagnostic>) -> Loaded {
    let mut files = Files::default();
    let mentioned = names_in(texts);
    let units = parse_all(texts, &mentioned, options, &mut files, &mut diagnostics);
    if has_errors(&diagnostics) {
        return Loaded::without_program(diagnostics);
    }
    let (module, found) = sema::analyze(&units, &options.entry, &options.errors, options.data_model, &files);
    diagnostics.extend(found);
    let Some(module) = module.filter(|_| !has_errors(&diagnostics)) else {
        return Loaded::without_program(diagnostics);
    };
    let checks = Checks { errno: looks_at_errno(texts, &mentioned), ..options.checks };
    let lower::Lowered { program, gaps, types } =
        lower::lower(&module, files.into_names(), checks, &options.surroundings);
    if cfg!(debug_assertions)
        && let Err(flaws) = program::well_formed::check(program.program())
    {
        panic!("lowering should give a well-formed program: {flaws:?}");
    }
    Loaded { program: Some(program), gaps, types, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.level == Level::Error)
}
