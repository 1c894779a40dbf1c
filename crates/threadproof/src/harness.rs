//! `threadproof harness`: the most general client of a library, as C.

use crate::args::HarnessArgs;
use crate::output::{self, Exit};
use std::path::{Path, PathBuf};
use threadproof::load;

/// Writes the client.
pub fn harness(args: &HarnessArgs) -> Exit {
    // Files are included as they are named here, which means the same only beside the working directory.
    let is_elsewhere =
        args.output.as_deref().and_then(Path::parent).is_some_and(|folder| folder != Path::new(""));
    let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let files = if is_elsewhere { args.files.iter().map(absolute).collect() } else { args.files.clone() };
    let harness = match load::harness(&files, &args.source) {
        Ok(harness) => harness,
        Err(diagnostics) => {
            output::diagnostics(&diagnostics);
            return Exit::BadInput;
        }
    };
    let Some(path) = &args.output else {
        output::out(&harness.text);
        return Exit::Fine;
    };
    match std::fs::write(path, harness.text) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
            Exit::BadInput
        }
    }
}
