//! From a file to preprocessed text.
//!
//! A `.i` file is taken as it is. Anything else goes through the C compiler's preprocessor, whose line markers lead
//! back to the user's files. What may go wrong with files and compilers is told in [`Diagnostic`]s that name the file
//! and the cause.
//!
//! **32-bit headers.** Under ILP32 the compiler gets `-m32`. Its headers are often not installed; then the host's own
//! are tried with `-m32`, which gives the right types on systems whose headers serve both (Debian's do), then without:
//! each time with a warning, because layouts may differ from a real 32-bit system's.
//!
//! **Atomics.** Compilers' `<stdatomic.h>` expands to statement expressions; ours, first on the include path, expands
//! to plain calls of `__c11_atomic_…` builtins.

mod bundled;
mod cc;

use bundled::BundledHeaders;
use cc::{Compiler, CompilerRun};
use program::DataModel;
use report::{Diagnostic, Level};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Larger texts, before or after preprocessing, are refused.
pub const MAX_BYTES: u64 = 64 << 20;

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct PreprocessOptions {
    /// Directories given with `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// Macros given with `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// What else the compiler is told: the unit's own flags, such as `-isystem`, `-include`, `-U` and `-std`.
    pub flags: Vec<OsString>,
    /// Decides between the compiler's 32-bit and its default mode.
    pub data_model: DataModel,
}

/// The preprocessed text of a file: that of a `.i` file as it is, that of any other through `cc -E` (or what `$CC`
/// names), with line markers.
///
/// With the text come warnings; instead of it, the reasons why there is none.
pub fn read_source(
    path: &Path,
    options: &PreprocessOptions,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_with(&Compiler::from_environment(), path, options)
}

/// [`read_source`] with a compiler of one's choice.
fn read_with(
    compiler: &Compiler,
    path: &Path,
    options: &PreprocessOptions,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let name = path.to_string_lossy();
    let preprocessed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("i"));
    let file = open_file(path).map_err(|cause| vec![cannot_read(&name, &cause)])?;
    if preprocessed {
        let bytes = read_file(file).map_err(|cause| vec![cannot_read(&name, &cause)])?;
        let mut warnings = Vec::new();
        let text = decode(bytes, &name, &mut warnings);
        return Ok((text, warnings));
    }
    preprocess(compiler, Input::File(path), &name, options)
}

/// The preprocessed text of a text that belongs to no file and is called `name`; the files that it includes are found from the working directory.
pub fn read_text(
    text: &str,
    name: &str,
    options: &PreprocessOptions,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let text = format!("#line 1 \"{name}\"\n{text}");
    preprocess(&Compiler::from_environment(), Input::Text(&text), name, options)
}

/// What is preprocessed.
#[derive(Clone, Copy)]
enum Input<'a> {
    File(&'a Path),
    Text(&'a str),
}

fn describe(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Opens a regular file of acceptable size.
fn open_file(path: &Path) -> Result<File, String> {
    let metadata = std::fs::metadata(path).map_err(describe)?;
    if metadata.is_dir() {
        return Err("it is a directory".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    File::open(path).map_err(describe)
}

fn read_file(file: File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(describe)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

fn too_large() -> String {
    format!("it has more than {} MiB", MAX_BYTES >> 20)
}

fn cannot_read(name: &str, cause: &str) -> Diagnostic {
    Diagnostic::about_file(Level::Error, name, format!("cannot read `{name}`: {cause}"))
}

/// The text of some bytes. What is not UTF-8 is read as Latin-1, which gives every byte a meaning.
fn decode(bytes: Vec<u8>, name: &str, warnings: &mut Vec<Diagnostic>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let message = "the file is not UTF-8: read as Latin-1";
        warnings.push(Diagnostic::about_file(Level::Warning, name, message));
        error.into_bytes().into_iter().map(char::from).collect()
    })
}

fn preprocess(
    compiler: &Compiler,
    input: Input<'_>,
    name: &str,
    options: &PreprocessOptions,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let headers = BundledHeaders::create().map_err(|error| {
        let message = format!("cannot make a temporary directory to preprocess `{name}`: {error}");
        vec![Diagnostic::about_file(Level::Error, name, message)]
    })?;
    let run = |mode: &[OsString]| {
        let mut args = mode.to_vec();
        args.extend(arguments(input, options, headers.directory()));
        let text = match input {
            Input::File(_) => None,
            Input::Text(text) => Some(text),
        };
        compiler.preprocess(&args, name, text)
    };
    let (run, fallback) = match options.data_model {
        DataModel::Lp64 => (run(&[])?, None),
        DataModel::Ilp32 => run_in_32_bits(compiler, headers.directory(), run)?,
    };
    let mut diagnostics = run.diagnostics;
    diagnostics.extend(fallback.map(|message| warn_of_fallback(name, message)));
    match run.output {
        Some(bytes) => {
            let text = decode(bytes, name, &mut diagnostics);
            Ok((headers.rename_in(text), diagnostics))
        }
        None => Err(diagnostics),
    }
}

/// What the compiler is told in every mode.
fn arguments(input: Input<'_>, options: &PreprocessOptions, bundled: &Path) -> Vec<OsString> {
    // C11 keeps `bool` and the like macros; fortified headers would hide functions behind checking variants, and glibc's
    // <ctype.h> its functions behind a table, which says the same but is harder to reason about.
    // Of two standards, or a definition and its withdrawal, the last one counts.
    let mut args = ["-E", "-std=gnu11"].map(OsString::from).to_vec();
    args.push(option("-I", bundled));
    args.extend_from_slice(&options.flags);
    args.extend(["-D__THREADPROOF__=1", "-U_FORTIFY_SOURCE", "-D__NO_CTYPE"].map(OsString::from));
    args.extend(options.include_dirs.iter().map(|dir| option("-I", dir)));
    args.extend(options.defines.iter().map(|define| option("-D", define)));
    args.extend(["-x", "c"].map(OsString::from));
    args.push(match input {
        Input::Text(_) => "-".into(),
        Input::File(path) if path.as_os_str().as_encoded_bytes().starts_with(b"-") => option("./", path),
        Input::File(path) => path.into(),
    });
    args
}

fn option(letter: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut option = OsString::from(letter);
    option.push(value);
    option
}

/// Tries `-m32` with its own headers, then with the host's, then the host's mode; says which of the latter two it was.
fn run_in_32_bits(
    compiler: &Compiler,
    bundled: &Path,
    run: impl Fn(&[OsString]) -> Result<CompilerRun, Vec<Diagnostic>>,
) -> Result<(CompilerRun, Option<&'static str>), Vec<Diagnostic>> {
    let first = run(&["-m32".into()])?;
    if !first.misses_headers_or_mode() {
        return Ok((first, None));
    }
    let mut with_host_headers = vec!["-m32".into()];
    let directories = compiler.host_include_directory().into_iter().chain([bundled.join("compat")]);
    with_host_headers.extend(directories.flat_map(|dir| ["-idirafter".into(), dir.into_os_string()]));
    let second = run(&with_host_headers)?;
    if second.output.is_some() {
        return Ok((second, Some("the host's headers were used in 32-bit mode")));
    }
    let third = run(&[])?;
    let fallback = third.output.is_some().then_some("the host's headers were used in its own mode");
    Ok((third, fallback))
}

fn warn_of_fallback(name: &str, what: &str) -> Diagnostic {
    let message =
        format!("the C compiler has no 32-bit headers: {what}, and layouts of their types may be wrong");
    let help = "install them (Debian: libc6-dev-i386, Fedora: glibc-devel.i686), or use the LP64 data model";
    Diagnostic { help: Some(help.to_owned()), ..Diagnostic::about_file(Level::Warning, name, message) }
}

#[cfg(test)]
mod tests;
