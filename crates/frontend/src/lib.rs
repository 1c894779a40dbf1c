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
//!
//! `models/library.c` is parsed with every program and provides what can be said in C about the C library.
//!
//! This is the only crate that knows C. It knows nothing of solvers and engines. What has no model is lowered to
//! [`program::Action::Unsupported`], so that it costs the verdict only if it can be reached.

pub mod ast;
pub mod hir;
pub mod lex;
pub mod lower;
pub mod parse;
pub mod preprocess;
pub mod sema;
pub mod source;
pub mod types;

pub use lower::Checks;

use parse::Parsed;
use preprocess::PreprocessOptions;
use program::{DataModel, Program};
use report::{Diagnostic, Level};
use sema::ParsedUnit;
use source::Files;
use std::path::PathBuf;

/// How to read the input.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sizes of C's types.
    pub data_model: DataModel,
    /// Where to look for headers.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The function where the program starts.
    pub entry: String,
    /// Which checks are built into the program.
    pub checks: Checks,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_model: DataModel::Lp64,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            entry: "main".to_owned(),
            checks: Checks::default(),
        }
    }
}

/// What became of the input.
#[derive(Debug)]
pub struct Loaded {
    /// The program, unless there were errors.
    pub program: Option<Program>,
    /// Everything there is to say about the input.
    pub diagnostics: Vec<Diagnostic>,
}

/// Our own C: models of library functions, a file per topic.
const MODELS: &[(&str, &str)] = &[
    ("<library>", include_str!("../models/library.c")),
    ("<ctype>", include_str!("../models/ctype.c")),
    ("<environment>", include_str!("../models/environment.c")),
    ("<fortify>", include_str!("../models/fortify.c")),
    ("<getopt>", include_str!("../models/getopt.c")),
    ("<locale>", include_str!("../models/locale.c")),
    ("<math>", include_str!("../models/math.c")),
    ("<messages>", include_str!("../models/messages.c")),
    ("<stdio>", include_str!("../models/stdio.c")),
    ("<stdlib>", include_str!("../models/stdlib.c")),
    ("<string>", include_str!("../models/string.c")),
    ("<time>", include_str!("../models/time.c")),
    ("<wchar>", include_str!("../models/wchar.c")),
];

/// Parsing and lowering recurse over trees that may be high; only what is used of it is ever backed by memory.
const STACK_BYTES: usize = 1 << 30;

/// Reads C files and links them into one program.
pub fn load(paths: &[PathBuf], options: &Options) -> Loaded {
    let how = PreprocessOptions {
        include_dirs: options.include_dirs.clone(),
        defines: options.defines.clone(),
        data_model: options.data_model,
    };
    let mut texts = Vec::new();
    let mut diagnostics = Vec::new();
    for path in paths {
        match preprocess::read_source(path, &how) {
            Ok((text, warnings)) => {
                texts.push((path.display().to_string(), text));
                diagnostics.extend(warnings);
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if has_errors(&diagnostics) {
        return Loaded { program: None, diagnostics };
    }
    load_texts(&texts, options, diagnostics)
}

/// Reads preprocessed C.
pub fn load_text(name: &str, text: &str, options: &Options) -> Loaded {
    load_texts(&[(name.to_owned(), text.to_owned())], options, Vec::new())
}

fn load_texts(texts: &[(String, String)], options: &Options, diagnostics: Vec<Diagnostic>) -> Loaded {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("frontend".to_owned()).stack_size(STACK_BYTES);
        let worker = builder.spawn_scoped(scope, || build(texts, options, diagnostics));
        match worker.map(|w| w.join()) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Loaded {
                program: None,
                diagnostics: vec![Diagnostic::about_file(
                    Level::Error,
                    "",
                    format!("no memory for the front end's stack: {error}"),
                )],
            },
        }
    })
}

fn build(texts: &[(String, String)], options: &Options, mut diagnostics: Vec<Diagnostic>) -> Loaded {
    let mut files = Files::default();
    let mut units = Vec::new();
    for (name, text) in texts {
        let Parsed { unit, items, diagnostics: found } = parse::parse_unit(text, name, false, &mut files);
        diagnostics.extend(found);
        units.push(ParsedUnit { unit, items });
    }
    for (name, text) in MODELS {
        let model = parse::parse_unit(text, name, true, &mut files);
        debug_assert!(model.diagnostics.is_empty(), "our models should parse: {:?}", model.diagnostics);
        units.push(ParsedUnit { unit: model.unit, items: model.items });
    }
    if has_errors(&diagnostics) {
        return Loaded { program: None, diagnostics };
    }
    let (module, found) = sema::analyze(&units, &options.entry, options.data_model, &files);
    diagnostics.extend(found);
    let Some(module) = module.filter(|_| !has_errors(&diagnostics)) else {
        return Loaded { program: None, diagnostics };
    };
    let program = lower::lower(&module, files.into_names(), options.checks);
    if cfg!(debug_assertions)
        && let Err(flaws) = program::well_formed::check(&program)
    {
        panic!("lowering should give a well-formed program: {flaws:?}");
    }
    Loaded { program: Some(program), diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.level == Level::Error)
}
